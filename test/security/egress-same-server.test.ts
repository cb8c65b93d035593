// A server that was sent a secret gives it back in the answer to another request, which carries none.
import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import type { ToolAdditions } from "../../src/egress/call-egress.ts";
import { callEgress, failure, noHeaders, secretHeader, send, serve, textOf, trusting } from "./egress-support.ts";

const VALUE = "canary-0123456789";

/** Sends the secret with requests to `/keep` only. */
function keptHeader(): ToolAdditions {
  const toolHeaders = secretHeader("X-Api-Key", VALUE);
  return { ...toolHeaders, prepare: (url, hop) => (url.pathname === "/keep" ? toolHeaders.prepare(url, hop) : { headers: new Map() }) };
}

/** Answers with the last key it was sent, in the body, or in the address of a page at `elsewhere`. */
function keeper(elsewhere: () => string): RequestListener {
  let last = "none";
  return (request, response) => {
    last = String(request.headers["x-api-key"] ?? last);
    if (request.url === "/away") return response.writeHead(302, { location: `${elsewhere()}?k=${last}` }).end();
    return response.writeHead(200, { "x-last": last }).end(`last: ${last}`);
  };
}

test("what a server was sent in one request is masked in its answers to others, by its name, another one, or a redirect to it", async () => {
  const api = await serve(keeper(() => `http://127.0.0.1:${own.port}/stranger`));
  const own = await serve((request, response) =>
    request.url === "/" ? response.writeHead(302, { location: `http://localhost:${api.port}/last` }).end() : response.end(`own: ${VALUE}`),
  );
  const policy = trusting(`127.0.0.1:${api.port}`, `localhost:${api.port}`, `127.0.0.1:${own.port}`);
  const call = callEgress({ policy, toolHeaders: keptHeader() });
  await send(call, `http://127.0.0.1:${api.port}/keep`);
  const urls = [`http://127.0.0.1:${api.port}/last`, `http://localhost:${api.port}/last`, `http://127.0.0.1:${own.port}/`];
  for (const url of urls) {
    const response = await send(call, url);
    expect([url, textOf(response), response.headers["x-last"]]).toEqual([url, "last: [redacted]", "[redacted]"]);
  }
  // Nor is it led on from there by a request that carries nothing.
  expect(await failure(send(call, `http://127.0.0.1:${api.port}/away`))).toMatchObject({ code: "SECRET_HOST" });
  expect(own.hits).toEqual(["/"]);
  // A place that was sent nothing shows the script its own texts: else it could try guesses there.
  expect(textOf(await send(call, `http://127.0.0.1:${own.port}/guess`))).toBe(`own: ${VALUE}`);
  // Another call has sent nothing, and so it has nothing to mask.
  const another = callEgress({ policy, toolHeaders: noHeaders });
  expect(textOf(await send(another, `http://127.0.0.1:${api.port}/last`))).toBe(`last: ${VALUE}`);
});

test("an answer under another name is masked while the request with the secret still waits for its own", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let last = "none";
  const api = await serve((request, response) => {
    if (request.url !== "/keep") return response.end(`last: ${last}`);
    last = String(request.headers["x-api-key"]);
    return released.then(() => response.end("kept"));
  });
  const call = callEgress({ policy: trusting(`127.0.0.1:${api.port}`, `localhost:${api.port}`), toolHeaders: keptHeader() });
  const waiting = send(call, `http://127.0.0.1:${api.port}/keep`);
  while (last === "none") await new Promise(setImmediate);
  expect(textOf(await send(call, `http://localhost:${api.port}/last`))).toBe("last: [redacted]");
  release();
  expect(textOf(await waiting)).toBe("kept");
});

test("what an issuer of tokens was sent is masked in its answers to the script", async () => {
  const issuer = await serve((_request, response) => response.end(`last: ${VALUE}`));
  const api = await serve((_request, response) => response.end("ok"));
  const toolHeaders = secretHeader("X-Api-Key", VALUE);
  const token = { issuer: new URL(`http://127.0.0.1:${issuer.port}/token`) };
  const call = callEgress({
    policy: trusting(`127.0.0.1:${api.port}`, `127.0.0.1:${issuer.port}`),
    toolHeaders: {
      sent: toolHeaders.sent,
      prepare: (url, hop) => {
        if (url.port !== String(api.port)) return { headers: new Map() };
        toolHeaders.prepare(url, hop);
        const [secret] = toolHeaders.sent();
        if (secret === undefined) throw new Error("No secret was made.");
        return { headers: new Map(), token: { ...token, get: () => Promise.resolve(secret), renew: () => Promise.resolve(undefined) } };
      },
    },
  });
  await send(call, `http://127.0.0.1:${api.port}/`);
  expect(textOf(await send(call, `http://127.0.0.1:${issuer.port}/last`))).toBe("last: [redacted]");
});
