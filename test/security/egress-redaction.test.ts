import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { createRedactor } from "../../src/egress/redactor.ts";
import { TEXT_ENCODERS } from "../support/secret-encoders.ts";
import { callEgress, noHeaders, secretHeader, send, serve, textOf, trusting } from "./egress-support.ts";

const VALUE = "sk/live+\"0<1&2>'3 4\\5=ä";

/** How a server may give back the header it got. What it is called is what the test says. */
const echoes: Readonly<Record<string, (value: string) => string | Buffer>> = {
  raw: (value) => Buffer.from(value, "latin1"),
  "as UTF-8": (value) => value,
  "as UTF-16": (value) => Buffer.from(value, "utf16le"),
  "in JSON": (value) => JSON.stringify({ header: value }),
  "in JSON within JSON": (value) => JSON.stringify(JSON.stringify({ header: value })),
  "in JSON with escaped slashes": (value) => JSON.stringify({ header: value }).replaceAll("/", "\\/"),
  "in ASCII JSON": (value) =>
    JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "URL-encoded": (value) => encodeURIComponent(value),
  "URL-encoded in lower case": (value) => encodeURIComponent(value).replace(/%../gu, (code) => code.toLowerCase()),
  "URL-encoded byte by byte": (value) => Buffer.from(value).toString("hex").toUpperCase().replace(/../gu, "%$&"),
  "form-encoded": (value) => new URLSearchParams({ header: value }).toString(),
  "in HTML": (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  "in HTML with quotes as numbers": (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&#x22;").replaceAll("'", "&#x27;"),
  "in HTML by numbers": (value) => Array.from(value, (character) => `&#${character.codePointAt(0)};`).join(""),
  "in HTML by hex numbers": (value) => Array.from(value, (character) => `&#x${character.codePointAt(0)?.toString(16)};`).join(""),
  "in hex": (value) => Buffer.from(value, "latin1").toString("hex"),
  "in upper-case hex": (value) => Buffer.from(value, "utf8").toString("hex").toUpperCase(),
  "in base64": (value) => Buffer.from(value, "latin1").toString("base64"),
  "in base64 after one byte": (value) => Buffer.from(`x${value}`, "latin1").toString("base64"),
  "in base64url after two bytes": (value) => Buffer.from(`xy${value}z`, "utf8").toString("base64url"),
  "in upper case": (value) => value.toUpperCase(),
  ...Object.fromEntries(Object.entries(TEXT_ENCODERS).map(([name, encode]) => [`as ${name}`, encode])),
  "URL-encoded twice, as the address of a page to go on to": (value) =>
    encodeURIComponent(`https://api.example.com/?key=${encodeURIComponent(value)}&n=1`),
  "URL-encoded four times": (value) => [1, 2, 3].reduce((text) => encodeURIComponent(text), encodeURIComponent(value)),
  "in HTML within a URL": (value) => encodeURIComponent(`<p title="${TEXT_ENCODERS["HTML of Django"]?.(value)}">`),
  "in JSON within a URL": (value) => encodeURIComponent(JSON.stringify({ header: value })),
  "URL-encoded within JSON of .NET": (value) => TEXT_ENCODERS["JSON of .NET"]?.(`?key=${encodeURIComponent(value)}`) ?? "",
  "in JSON within HTML": (value) => TEXT_ENCODERS["HTML of PHP"]?.(JSON.stringify({ header: value })) ?? "",
  "in a URL in base64": (value) => Buffer.from(`https://api.example.com/?key=${encodeURIComponent(value)}&n=1`).toString("base64"),
  "in JSON in base64": (value) => Buffer.from(JSON.stringify({ header: value })).toString("base64url"),
  "in base64 of base64": (value) => Buffer.from(Buffer.from(value).toString("base64")).toString("base64"),
  "in base64 of hex": (value) => Buffer.from(Buffer.from(value).toString("hex")).toString("base64"),
  "in hex of base64": (value) => Buffer.from(Buffer.from(value).toString("base64")).toString("hex"),
};

/** Long pieces of the secret in any plain notation; none may be left. */
function leaksOf(text: string): readonly string[] {
  const pieces = ["sk/live", "sk%2flive", "736b2f6c697665", "live+", "c2svbGl2ZS"];
  return pieces.filter((piece) => text.toLowerCase().includes(piece.toLowerCase()));
}

test.each(Object.keys(echoes))("a secret that comes back %s is masked in the body", async (name) => {
  const server = await serve((request, response) =>
    response.end(
      Buffer.concat([
        Buffer.from("before "),
        Buffer.from(echoes[name]?.(String(request.headers["x-api-key"])) ?? ""),
        Buffer.from(" after"),
      ]),
    ),
  );
  const policy = trusting(`127.0.0.1:${server.port}`);
  const masked = textOf(
    await send(callEgress({ policy, toolHeaders: secretHeader("X-Api-Key", VALUE) }), `http://127.0.0.1:${server.port}/`),
  );
  expect(masked).toContain("[redacted]");
  expect(masked).toMatch(/^before .* after$/su);
  expect(leaksOf(masked)).toEqual([]);
  // The same answer to a request without the secret, given by the script itself, comes back untouched.
  const untouched = textOf(
    await send(callEgress({ policy, toolHeaders: noHeaders }), `http://127.0.0.1:${server.port}/`, { headers: { "X-Api-Key": VALUE } }),
  );
  expect(untouched).not.toContain("[redacted]");
  expect(untouched.length).toBeGreaterThan(VALUE.length);
});

const compressions = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

test.each(Object.entries(compressions))("a secret in a body compressed with %s is masked", async (encoding, compress) => {
  const server = await serve((request, response) =>
    response.setHeader("content-encoding", encoding).end(compress(Buffer.from(JSON.stringify(request.headers)))),
  );
  const call = callEgress({
    policy: trusting(`127.0.0.1:${server.port}`),
    toolHeaders: secretHeader("Authorization", "abcdefgh12345678", "Bearer "),
  });
  const { authorization } = JSON.parse(textOf(await send(call, `http://127.0.0.1:${server.port}/`)));
  expect(authorization).toBe("[redacted]");
});

test("a secret is masked in status text, header values and names, cookies, the URL and redirects", async () => {
  const value = "canary-0123456789";
  const server = await serve((request, response) => {
    if (request.url === "/") return response.writeHead(302, { location: `/end/${value}` }).end();
    return response
      .writeHead(400, `no ${value}`, {
        "x-echo": `a ${value} b`,
        [`x-${value}`]: "1",
        "set-cookie": `s=${value}`,
        "x-basic": Buffer.from(`user:${value}`).toString("base64"),
      })
      .end();
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("X-Api-Key", value) });
  const response = await send(call, `http://127.0.0.1:${server.port}/`);
  expect(JSON.stringify(response)).not.toContain(value);
  expect(JSON.stringify(response)).not.toContain("Y2FuYXJ5");
  expect(response).toMatchObject({
    statusText: "no [redacted]",
    url: `http://127.0.0.1:${server.port}/end/[redacted]`,
    setCookie: ["s=[redacted]"],
    headers: { "x-echo": "a [redacted] b", "x-[redacted]": "1" },
  });
});

test("after a redirect away from the secret's host the answer of the next one is masked too", async () => {
  const value = "canary-0123456789";
  const other = await serve((_request, response) => response.end(`I know ${value}`));
  const first = await serve((_request, response) => response.writeHead(302, { location: `http://localhost:${other.port}/` }).end());
  const call = callEgress({
    policy: trusting(`127.0.0.1:${first.port}`, `localhost:${other.port}`),
    toolHeaders: secretHeader("X-Api-Key", value),
  });
  expect(textOf(await send(call, `http://127.0.0.1:${first.port}/`))).toBe("I know [redacted]");
});

test("credentials sent as Basic are masked when the server unpacks them", async () => {
  const encoded = Buffer.from("user:pass-word-0123").toString("base64");
  const server = await serve((request, response) =>
    response.end(Buffer.from(String(request.headers.authorization).slice(6), "base64").toString()),
  );
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("Authorization", encoded, "Basic ") });
  expect(textOf(await send(call, `http://127.0.0.1:${server.port}/`))).toBe("[redacted]");
});

test("a script's own server gets its candidates back untouched, also after a secret was sent elsewhere in the call", async () => {
  const value = "canary-0123456789";
  const api = await serve((_request, response) => response.end("ok"));
  const own = await serve((_request, response) => response.end(`candidates: ${value} ${value}x`));
  const toolHeaders = secretHeader("X-Api-Key", value);
  const call = callEgress({
    policy: trusting(`127.0.0.1:${api.port}`, `127.0.0.1:${own.port}`),
    toolHeaders: {
      ...toolHeaders,
      prepare: (url, hop) => (url.port === String(api.port) ? toolHeaders.prepare(url, hop) : { headers: new Map() }),
    },
  });
  await send(call, `http://127.0.0.1:${api.port}/`);
  expect(textOf(await send(call, `http://127.0.0.1:${own.port}/`))).toBe(`candidates: ${value} ${value}x`);
  // What leaves the call is searched for what it sent.
  expect(call.redactor().redactJson({ [`k ${value}`]: [value, 1, null, { deep: `x${value}` }] })).toEqual({
    "k [redacted]": ["[redacted]", 1, null, { deep: "x[redacted]" }],
  });
});

test("a secret that another request of the call sends meanwhile is masked in a body that is still coming in", async () => {
  const values: Readonly<Record<string, string>> = { "/slow": "canary-0123456789", "/quick": "other-9876543210" };
  const { promise: both, resolve } = Promise.withResolvers<void>();
  const server = await serve((request, response) => {
    if (request.url === "/quick") {
      resolve();
      return response.end("ok");
    }
    response.write("first ");
    return both.then(() => response.end(`${values["/slow"]} and ${values["/quick"]}`));
  });
  const sent: Secret[] = [];
  const toolHeaders = {
    prepare: (url: URL) => {
      const secret = new Secret(values[url.pathname] ?? "");
      sent.push(secret);
      return { headers: new Map([["X-Api-Key", secret]]) };
    },
    sent: () => sent,
  };
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders });
  const slow = send(call, `http://127.0.0.1:${server.port}/slow`);
  while (server.hits.length === 0) await new Promise(setImmediate);
  await send(call, `http://127.0.0.1:${server.port}/quick`);
  expect(textOf(await slow)).toBe("first [redacted] and [redacted]");
});

test("credentials that come back in base64 with a name in front leave nothing of the value, not even its first bits", async () => {
  const value = "canary-0123456789";
  const server = await serve((request, response) =>
    response.end(["", "u", "us"].map((name) => Buffer.from(`${name}${request.headers["x-api-key"]}!`).toString("base64")).join(" ")),
  );
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("X-Api-Key", value) });
  expect(textOf(await send(call, `http://127.0.0.1:${server.port}/`))).toBe("[redacted]h d[redacted]IQ== dX[redacted]E=");
});

test("a stored value with blanks at its ends is masked as servers give it back, and stopped in a redirect's Location", async () => {
  const value = " canary-0123456789\t";
  const api = await serve((request, response) => {
    const key = String(request.headers["x-api-key"]);
    if (request.url === "/away") return response.writeHead(302, { location: `http://localhost:${api.port}/?k=${key}` }).end();
    return response.end(`<${key}>`);
  });
  const hosts = trusting(`127.0.0.1:${api.port}`, `localhost:${api.port}`);
  const call = callEgress({ policy: hosts, toolHeaders: secretHeader("X-Api-Key", value) });
  expect(textOf(await send(call, `http://127.0.0.1:${api.port}/`))).toBe("<[redacted]>");
  await expect(send(call, `http://127.0.0.1:${api.port}/away`)).rejects.toMatchObject({ code: "SECRET_HOST" });
  expect(api.hits).toHaveLength(2);
});

test("what redaction cannot see is documented: a reversed value, and one given back in pieces, come through", async () => {
  const value = "canary-0123456789";
  const server = await serve((_request, response) => response.end(`${[...value].reverse().join("")} ${[...value].join(" ")}`));
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("X-Api-Key", value) });
  expect(textOf(await send(call, `http://127.0.0.1:${server.port}/`))).not.toContain("[redacted]");
});

test("a secret is masked wherever the server cuts its answer into chunks", async () => {
  const value = "canary-0123456789";
  const text = `${"a".repeat(50)}${value}${"b".repeat(20)}${Buffer.from(`x${value}`).toString("base64")}${"c".repeat(30)}`;
  const server = await serve(async (request, response) => {
    const sizes = (request.url ?? "").slice(1).split(",").map(Number);
    let position = 0;
    for (const size of [...sizes, text.length]) {
      // Each write is a chunk of its own on the wire; waiting for it keeps them from being joined.
      await new Promise<unknown>((resolve) => response.write(text.slice(position, position + size) || "-", resolve));
      position += size;
      if (position >= text.length) break;
    }
    response.end();
  });
  const limits = { requestBodyBytes: 1, responseBodyBytes: 10_000, requestsPerCall: 1_000, requestsAtOnce: 6, redirects: 0 };
  const call = callEgress({ policy: trusting(`127.0.0.1:${server.port}`), toolHeaders: secretHeader("X-Api-Key", value), limits });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }), async (sizes) => {
      const masked = textOf(await send(call, `http://127.0.0.1:${server.port}/${sizes.join(",")}`));
      expect(masked.match(/\[redacted\]/gu)).toHaveLength(2);
      expect(masked).not.toMatch(/canary|FyeS0w/u);
    }),
    { numRuns: 60 },
  );
});

test("any value in any notation at any place is masked, and a text without one is not touched", () => {
  const value = fc
    .string({ unit: "binary-ascii", minLength: 8, maxLength: 60 })
    .filter((text) => /^[\x20-\x7e]+$/u.test(text) && new Set(text).size > 4)
    // Eight characters are the least that is masked; what can be of an escape is not counted.
    .filter((text) => text.replace(/\\|%[0-9a-f]{0,2}|&#?\w*;?/giu, "").length >= 8);
  const notations = Object.values(echoes);
  fc.assert(
    fc.property(value, fc.constantFrom(...notations), fc.string(), fc.string(), (secret, notation, before, after) => {
      const redactor = createRedactor([secret]);
      const body = Buffer.concat([Buffer.from(`${before} `), Buffer.from(notation(secret)), Buffer.from(` ${after}`)]);
      const masked = redactor.redactBytes(body);
      expect(masked.includes("[redacted]")).toBe(true);
      expect(masked.includes(secret)).toBe(false);
    }),
    { numRuns: 500 },
  );
  const clean = Buffer.from("nothing to see");
  expect(createRedactor(["canary-0123456789", "short"]).redactBytes(clean)).toBe(clean);
  expect(createRedactor(["short"]).redactText("short")).toBe("short");
});
