// What must not get past the HTTP server's gate, sent byte by byte over loopback.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { buildMcpServer } from "../../src/server/mcp-server.ts";
import { echo, testEngine } from "../support/mcp-engine.ts";
import { modernHeaders, modernMessage, startTestHttp, TEST_TOKEN } from "../support/mcp-http.ts";
import { rawExchange, rawRequest } from "../support/raw-http.ts";

type Header = readonly [string, string];

const LIST = JSON.stringify(modernMessage("tools/list"));
const BASE: readonly Header[] = [
  ["Content-Type", "application/json"],
  ["Accept", "application/json, text/event-stream"],
  ...Object.entries(modernHeaders("tools/list")),
];
const AUTHORIZED: readonly Header[] = [...BASE, ["Authorization", `Bearer ${TEST_TOKEN}`]];

function listRequest(host: string | undefined, more: readonly Header[] = [], base = AUTHORIZED, line = "POST /mcp HTTP/1.1"): Buffer {
  return rawRequest(line, [...(host === undefined ? [] : [["Host", host] as const]), ...base, ...more], LIST);
}

const engine = testEngine([echo]);

test("without the gate, the SDK's handler answers a page that re-bound its name to this machine and brings no token", async () => {
  const handler = createMcpHandler(({ authInfo }) =>
    buildMcpServer(
      { engine, expose: "both", version: "0", log: silentLog },
      { caller: { agent: authInfo?.clientId ?? "default", origin: "mcp" }, era: "modern", withInstructions: false },
    ),
  );
  const bare = createServer((request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    text(request)
      .then((body) => handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body })))
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy());
  });
  await once(bare.listen(0, "127.0.0.1"), "listening");
  const address = bare.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const answer = await rawExchange(port, listRequest("evil.com", [["Origin", "http://evil.com"]], BASE));
  expect([answer.status, answer.body.includes('"echo"')]).toEqual([200, true]);
  bare.close();
});

test("only names of this machine pass as Host, whatever the port", async () => {
  await using server = await startTestHttp(engine);
  const statuses = async (line: string, hosts: readonly (string | undefined)[]): Promise<object> =>
    Object.fromEntries(
      await Promise.all(
        hosts.map(async (host) => [String(host), (await rawExchange(server.port, listRequest(host, [], AUTHORIZED, line))).status]),
      ),
    );
  const port = server.port;
  expect(await statuses("POST /mcp HTTP/1.1", [`127.0.0.1:${port}`, "localhost", "LOCALHOST:1", "[::1]", "127.0.0.1:9"])).toEqual({
    [`127.0.0.1:${port}`]: 200,
    localhost: 200,
    "LOCALHOST:1": 200,
    "[::1]": 200,
    "127.0.0.1:9": 200,
  });
  const refused = [
    "evil.com",
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "evil.com:80@localhost",
    "localhost.",
    "127.1",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "localhost:port",
    "localhost, evil.com",
    "",
  ];
  expect(await statuses("POST /mcp HTTP/1.1", refused)).toEqual(Object.fromEntries(refused.map((host) => [host, 403])));
  expect(await statuses("POST /mcp HTTP/1.0", [undefined])).toEqual({ undefined: 403 });
  expect(await statuses("POST /mcp HTTP/1.1", [undefined])).toEqual({ undefined: 400 });
});

test("a request that names two hosts, or a whole URL as its target, is refused", async () => {
  await using server = await startTestHttp(engine);
  expect((await rawExchange(server.port, listRequest("localhost", [["Host", "evil.com"]]))).status).toBe(400);
  expect((await rawExchange(server.port, listRequest("localhost", [], AUTHORIZED, "POST http://evil.com/mcp HTTP/1.1"))).status).toBe(400);
  expect((await rawExchange(server.port, listRequest("localhost", [], AUTHORIZED, "POST //evil.com/mcp HTTP/1.1"))).status).toBe(404);
});

test("a web page of another origin is refused, also with the right token; one of this machine is let in", async () => {
  await using server = await startTestHttp(engine, { publicUrl: "https://tools.example.com" });
  const status = async (origin: string): Promise<number> =>
    (await rawExchange(server.port, listRequest("localhost", [["Origin", origin]]))).status;
  const refused = [
    "null",
    "http://evil.com",
    "http://localhost.evil",
    "https://tools.example.com:8443",
    "http://tools.example.com",
    "http://localhost, http://evil.com",
    "https://tools.example.com, https://tools.example.com:8443",
    "https://tools.example.com https://tools.example.com",
    "http://localhost/",
    "file://",
    "localhost",
    "HTTP://LOCALHOST",
    "https://tools.example.com@evil.com",
  ];
  for (const origin of refused) expect([origin, await status(origin)]).toEqual([origin, 403]);
  for (const origin of ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:3000", "https://tools.example.com"]) {
    expect([origin, await status(origin)]).toEqual([origin, 200]);
  }
});

test("a preflight is answered for allowed origins only, before any token, and never with a wildcard or credentials", async () => {
  await using server = await startTestHttp(engine);
  const preflight = (origin: string) =>
    rawExchange(
      server.port,
      rawRequest("OPTIONS /mcp HTTP/1.1", [
        ["Host", "localhost"],
        ["Origin", origin],
        ["Access-Control-Request-Method", "POST"],
      ]),
    );
  const allowed = await preflight("http://localhost:6274");
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("http://localhost:6274");
  expect(allowed.headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE");
  expect(allowed.headers.get("access-control-allow-headers")).toContain("Mcp-Session-Id");
  expect(allowed.headers.has("access-control-allow-credentials")).toBe(false);
  const refused = await preflight("http://evil.com");
  expect([refused.status, refused.headers.has("access-control-allow-origin")]).toEqual([403, false]);
  const plain = await rawExchange(server.port, rawRequest("OPTIONS /mcp HTTP/1.1", [["Host", "localhost"]]));
  expect(plain.status).toBe(405);
});

test("a preflight lets through the headers that repeat arguments, by their names, and no other that was asked for", async () => {
  await using server = await startTestHttp(engine);
  const { headers } = await rawExchange(
    server.port,
    rawRequest("OPTIONS /mcp HTTP/1.1", [
      ["Host", "localhost"],
      ["Origin", "http://localhost:6274"],
      ["Access-Control-Request-Method", "POST"],
      [
        "Access-Control-Request-Headers",
        "authorization, mcp-param-region,Mcp-Param-Zone, cookie, mcp-param-, mcp-param-a b, x-mcp-param-c",
      ],
    ]),
  );
  expect(headers.get("access-control-allow-headers")).toBe(
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, mcp-param-region, Mcp-Param-Zone",
  );
});

test("without the right token nothing is answered; with no-auth on loopback everything is", async () => {
  await using open = await startTestHttp(engine, { auth: { kind: "none" } });
  expect((await rawExchange(open.port, listRequest("localhost", [], BASE))).status).toBe(200);

  await using server = await startTestHttp(engine);
  const withToken = async (...values: string[]): Promise<readonly [number, string | undefined]> => {
    const answer = await rawExchange(
      server.port,
      listRequest(
        "localhost",
        values.map((value) => ["Authorization", value] as const),
        BASE,
      ),
    );
    expect(answer.body).not.toContain("echo");
    return [answer.status, answer.headers.get("www-authenticate")];
  };
  expect(await withToken()).toEqual([401, 'Bearer realm="toolyard"']);
  const invalid = [401, 'Bearer realm="toolyard", error="invalid_token"'];
  const wrong = [
    "Bearer wrong",
    `Bearer ${TEST_TOKEN}x`,
    `Bearer ${TEST_TOKEN.slice(0, -1)}`,
    "Bearer",
    `Basic ${TEST_TOKEN}`,
    TEST_TOKEN,
    `Bearer ${TEST_TOKEN} ${TEST_TOKEN}`,
    `Bearer\t${TEST_TOKEN}`,
    `Bearer ${TEST_TOKEN},x`,
  ];
  for (const value of wrong) expect([value, ...(await withToken(value))]).toEqual([value, ...invalid]);
  expect((await withToken(`Bearer ${TEST_TOKEN}`, "Bearer wrong"))[0]).toBe(400);
  expect((await withToken("Bearer wrong", `Bearer ${TEST_TOKEN}`))[0]).toBe(400);
  // 431, or a connection that is reset while the rest is still being sent.
  expect([431, 0]).toContain((await withToken(`Bearer ${"x".repeat(1_000_000)}`))[0]);
  for (const right of [`Bearer ${TEST_TOKEN}`, `bearer ${TEST_TOKEN}`, `Bearer   ${TEST_TOKEN}`]) {
    expect((await rawExchange(server.port, listRequest("localhost", [["Authorization", right]], BASE))).status).toBe(200);
  }
});

test("a token in the URL is refused, with and without the right one in the header", async () => {
  await using server = await startTestHttp(engine);
  for (const query of [`token=${TEST_TOKEN}`, `a=1&access_token=${TEST_TOKEN}`]) {
    const line = `POST /mcp?${query} HTTP/1.1`;
    for (const headers of [BASE, AUTHORIZED]) {
      const answer = await rawExchange(server.port, listRequest("localhost", [], headers, line));
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="toolyard", error="invalid_request"']);
      expect(answer.text).not.toContain(TEST_TOKEN);
    }
  }
});

test("an agent that the workspace does not define gets 403, and a token list that cannot be read lets nobody in", async () => {
  await using server = await startTestHttp(engine, {
    auth: { kind: "token", verify: () => ({ agent: "gone" }), isDefined: (agent) => agent !== "gone" },
  });
  expect((await rawExchange(server.port, listRequest("localhost"))).status).toBe(403);
  await using broken = await startTestHttp(engine, {
    auth: {
      kind: "token",
      verify: () => {
        throw new Error("unreadable");
      },
    },
  });
  const answer = await rawExchange(broken.port, listRequest("localhost"));
  expect([answer.status, answer.text.includes("unreadable")]).toEqual([503, false]);
});

test("healthz answers without token or data, but not to a re-bound name, and other paths and methods are refused", async () => {
  await using server = await startTestHttp(engine);
  const get = (line: string, host = "localhost") => rawExchange(server.port, rawRequest(line, [["Host", host]]));
  const health = await get("GET /healthz HTTP/1.1");
  expect([health.status, health.body]).toEqual([200, "ok\n"]);
  expect((await get("GET /healthz HTTP/1.1", "evil.com")).status).toBe(403);
  expect((await get("POST /healthz HTTP/1.1")).status).toBe(405);
  expect((await get("GET / HTTP/1.1")).status).toBe(404);
  expect((await get("GET /mcp/../healthz HTTP/1.1")).status).toBe(404);
  expect((await get("PUT /mcp HTTP/1.1")).status).toBe(405);
  expect((await get("GET /mcp HTTP/1.1")).status).toBe(401);
});

test("bodies that are too large, compressed, of another type, too deep, not UTF-8, not JSON or a batch are refused", async () => {
  await using server = await startTestHttp(engine, { limits: () => ({ ...defaultLimits(), httpBodyBytes: 2_000 }) });
  const send = async (body: string | Buffer, more: readonly Header[] = [], base = AUTHORIZED): Promise<readonly [number, unknown]> => {
    const answer = await rawExchange(server.port, rawRequest("POST /mcp HTTP/1.1", [["Host", "localhost"], ...base, ...more], body));
    return [answer.status, answer.body === "" ? undefined : JSON.parse(answer.body).error?.code];
  };
  const padded = (length: number): string => LIST + " ".repeat(length - LIST.length);
  expect((await send(padded(2_000)))[0]).toBe(200);
  expect((await send(padded(2_001)))[0]).toBe(413);
  const chunk = padded(2_001);
  expect((await send(`${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`, [["Transfer-Encoding", "chunked"]]))[0]).toBe(413);
  expect((await send(LIST, [["Content-Encoding", "gzip"]]))[0]).toBe(415);
  const withoutType = AUTHORIZED.filter(([name]) => name !== "Content-Type");
  expect((await send(LIST, [], withoutType))[0]).toBe(415);
  for (const type of ["text/plain", "application/json-patch+json", "text/plain; application/json"]) {
    expect((await send(LIST, [["Content-Type", type]], withoutType))[0]).toBe(415);
  }
  expect((await send(LIST, [["Content-Type", "Application/JSON; charset=utf-8"]], withoutType))[0]).toBe(200);
  expect(await send("[".repeat(65) + "]".repeat(65))).toEqual([400, -32_600]);
  expect(await send(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]))).toEqual([400, -32_700]);
  expect(await send("{")).toEqual([400, -32_700]);
  expect(await send(`[${LIST}]`)).toEqual([400, -32_600]);
  expect(await send('"text"')).toEqual([400, -32_600]);
});

test("headers of 2026-07-28 that disagree with the body are refused", async () => {
  await using server = await startTestHttp(engine);
  const send = async (headers: Record<string, string>): Promise<readonly [number, unknown]> => {
    const body = JSON.stringify(modernMessage("tools/call", { name: "echo", arguments: { text: "x" } }));
    const base: readonly Header[] = [
      ["Host", "localhost"],
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
      ["Authorization", `Bearer ${TEST_TOKEN}`],
    ];
    const answer = await rawExchange(server.port, rawRequest("POST /mcp HTTP/1.1", [...base, ...Object.entries(headers)], body));
    return [answer.status, JSON.parse(answer.body).error?.code];
  };
  expect(await send(modernHeaders("tools/call", "echo"))).toEqual([200, undefined]);
  expect(await send(modernHeaders("tools/call", "=?base64?ZWNobw==?="))).toEqual([200, undefined]);
  expect(await send(modernHeaders("tools/call", "other"))).toEqual([400, -32_020]);
  expect(await send(modernHeaders("tools/call"))).toEqual([400, -32_020]);
  expect(await send(modernHeaders("tools/list", "echo"))).toEqual([400, -32_020]);
  expect(await send({ "mcp-method": "tools/call", "mcp-name": "echo" })).toEqual([400, -32_020]);
});

test("a request with both a length and chunks, a way to smuggle a second one, is refused", async () => {
  await using server = await startTestHttp(engine);
  const smuggled = rawRequest(
    "POST /mcp HTTP/1.1",
    [["Host", "localhost"], ...AUTHORIZED, ["Content-Length", "5"], ["Transfer-Encoding", "chunked"]],
    "0\r\n\r\n",
  );
  expect((await rawExchange(server.port, smuggled)).status).toBe(400);
});

test("it listens on the one address it was given", async () => {
  await using server = await startTestHttp(engine);
  const other = connect({ port: server.port, host: "127.0.0.2" });
  const [error] = await once(other, "error");
  expect(error).toMatchObject({ code: "ECONNREFUSED" });
});

test("it does not start open to other machines without tokens and a public URL, and says what is missing", async () => {
  const none = { kind: "none" as const };
  const publicUrl = "https://tools.example.com";
  const refusal = async (options: Parameters<typeof startTestHttp>[1]): Promise<string> => {
    const error: unknown = await startTestHttp(engine, options).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ToolError)) return "started, or failed otherwise";
    return `${error.code}: ${error.message}`;
  };
  const onlyLoopback = "UNAVAILABLE: Without tokens only this machine is served, and ";
  expect(await refusal({ host: "0.0.0.0" })).toBe(
    "UNAVAILABLE: Listening on 0.0.0.0, other machines can reach the server, so it must know the address they use. Add --public-url, or listen on 127.0.0.1.",
  );
  for (const host of ["0.0.0.0", "::"]) {
    expect(await refusal({ host, auth: none })).toBe(
      `${onlyLoopback}${host} is reachable from others. Listen on 127.0.0.1, or use tokens and add --public-url.`,
    );
  }
  expect(await refusal({ host: "0.0.0.0", auth: none, publicUrl })).toBe(
    `${onlyLoopback}0.0.0.0 is reachable from others. Listen on 127.0.0.1 and leave out --public-url, or use tokens.`,
  );
  expect(await refusal({ auth: none, publicUrl })).toBe(
    `${onlyLoopback}a public URL is for others. Leave out --public-url, or use tokens.`,
  );
  expect(await refusal({ publicUrl: "ftp://tools.example.com" })).toContain("UNAVAILABLE: The public URL");
});
