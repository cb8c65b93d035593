// Guards behind which another one stands as a rule: here the other one is got around, so that each is seen to hold by itself.
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { constants, createZstdCompress } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createGuardedConnector } from "../../src/egress/connector.ts";
import { createDial } from "../../src/egress/dial.ts";
import { createRedactor, type Redactor } from "../../src/egress/redactor.ts";
import { nextHop, redirectTarget } from "../../src/egress/redirect.ts";
import { toScriptResponse } from "../../src/egress/response.ts";
import { readBody } from "../../src/egress/response-body.ts";
import { echo, testEngine } from "../support/mcp-engine.ts";
import { startTestHttp } from "../support/mcp-http.ts";
import { readAnswer } from "../support/raw-http.ts";
import { makeHome, openTestRuntime, storeSecret } from "../support/runtime.ts";
import { makeFolder, putFiles } from "../support/workspace-folder.ts";
import { callEgress, failure, recorder, secretHeader, send, serve, stubDial, stubLookup, textOf, trusting } from "./egress-support.ts";
import { selfSigned } from "./self-signed.ts";

const VALUE = "single-guard/0123456789+abc";

test("after another origin no secret goes along, also not to the next page of that origin", async () => {
  const other = await recorder((path) => (path === "/1" ? { status: 302, location: "/2" } : { status: 200 }));
  const first = await recorder(() => ({ status: 302, location: `http://127.0.0.1:${other.port}/1` }));
  const policy = trusting(`127.0.0.1:${first.port}`, `127.0.0.1:${other.port}`);
  // The tool would send it everywhere: only the rule for redirects is in the way.
  await send(callEgress({ policy, toolHeaders: secretHeader("x-key", VALUE) }), `http://127.0.0.1:${first.port}/`);
  expect(first.seen.map(({ headers }) => headers["x-key"])).toEqual([VALUE]);
  expect(other.seen.map(({ path, headers }) => [path, headers["x-key"]])).toEqual([
    ["/1", undefined],
    ["/2", undefined],
  ]);
});

test("a redirect from https to http, and one with two targets, lead nowhere", async () => {
  const hop = {
    url: new URL("https://api.example.com/"),
    method: "GET",
    own: new Map(),
    body: undefined,
    allowSecrets: true,
    redirects: 0,
  };
  const limits = { maxRedirects: 5, masked: undefined };
  expect(nextHop(hop, 302, "https://other.example.com/", limits).url.href).toBe("https://other.example.com/");
  const plain = await failure(Promise.try(() => nextHop(hop, 302, "http://api.example.com/", limits)));
  expect([plain.code, plain.data]).toEqual(["NETWORK_ERROR", { host: "api.example.com:443", reason: "REDIRECT_TO_HTTP" }]);
  const answer = {
    status: 302,
    statusText: "",
    headers: new Map([["location", ["/a", "/b"]]]),
    hasBody: false,
    body: none(),
    discard: () => Promise.resolve(),
  };
  const twice = await failure(Promise.try(() => redirectTarget(answer, "follow", "api.example.com:443")));
  expect([twice.code, twice.data]).toEqual(["NETWORK_ERROR", { host: "api.example.com:443", reason: "BAD_REDIRECT" }]);
});

test("zstd that asks for a window of 64 MiB is refused, whatever little it holds", async () => {
  const packed = async (windowLog: number): Promise<Uint8Array> => {
    const packer = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
    packer.write("text");
    packer.end();
    const parts: Buffer[] = [];
    for await (const part of packer) parts.push(part);
    return Buffer.concat(parts);
  };
  const read = async (windowLog: number): Promise<string> =>
    Buffer.concat(await readBody(some(await packed(windowLog)), { encoding: "zstd", maxBytes: 1_000, host: "a:443" })).toString();
  expect(await read(20)).toBe("text");
  expect(await failure(read(26))).toMatchObject({ code: "NETWORK_ERROR", data: { reason: "BAD_CONTENT_ENCODING" } });
});

test("a secret that another request of the call sent while the body came in is masked in it", async () => {
  let masks: Redactor | undefined;
  const body = async function* (): AsyncIterable<Uint8Array> {
    yield Buffer.from("begins ");
    // Here the other request goes out, and the server puts what it was sent into this answer.
    masks = createRedactor([VALUE]);
    yield Buffer.from(VALUE);
  };
  const answer = { status: 200, statusText: "", headers: new Map(), hasBody: true, body: body(), discard: () => Promise.resolve() };
  const options = { url: new URL("https://api.example.com/"), redirected: false, maxBytes: 1_000 };
  expect(textOf(await toScriptResponse(answer, { ...options, redactor: () => masks }))).toBe("begins [redacted]");
});

test("a value that a script put together again is masked in log lines, progress, results, content and errors", async () => {
  const api = await serve((request, response) => void response.end([...String(request.headers["x-key"])].reverse().join("")));
  const base = `http://127.0.0.1:${api.port}`;
  const script = `async function main() {
    const { mode } = g.tool.args;
    const value = (await g.http.makeHttpRequest(g.config.base)).body.split("").reverse().join("");
    console.log("log", value);
    g.run.progress(1, 2, "progress " + value);
    if (mode === "throw") throw new Error("thrown " + value);
    if (mode === "fail") return g.result.fail("failed " + value);
    return { value, length: value.length, [value]: 1 };
  }`;
  const tool = {
    name: "call",
    description: "Calls the API",
    script: "scripts/call.js",
    headers: { "X-Key": "{{API_KEY}}" },
    config: { base },
  };
  const parameters = { type: "object", properties: { mode: { type: "string" } } };
  const root = makeFolder({ "tools.json": { tools: [{ ...tool, parameters }] }, "scripts/call.js": script });
  const home = makeHome();
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [base] });
  const runtime = await openTestRuntime(root, home);
  const results = [];
  for (const args of [{}, { mode: "throw" }, { mode: "fail" }]) results.push(await runtime.run("call", args));
  // The script really had it.
  expect(results[0]).toMatchObject({ kind: "ok", value: { value: "[redacted]", length: VALUE.length, "[redacted]": 1 } });
  expect(results.slice(1)).toMatchObject([
    { kind: "error", code: "SCRIPT_ERROR", message: expect.stringContaining("thrown [redacted]") },
    { kind: "error", code: "SCRIPT_ERROR", message: expect.stringContaining("failed [redacted]") },
  ]);
  expect(runtime.lines.map(({ text }) => text)).toEqual(["log [redacted]", "log [redacted]", "log [redacted]"]);
  expect(runtime.progress.map(({ message }) => message)).toEqual(["progress [redacted]", "progress [redacted]", "progress [redacted]"]);
  expect(JSON.stringify([results, runtime.logged])).not.toContain(VALUE);
});

test("an address that stands in the URL is judged as one that nobody's resolver made, also by the connector", async () => {
  const { dial, dialed } = stubDial();
  const connect = createGuardedConnector("public", { lookup: stubLookup(["64:ff9b::808:808"]).lookup, dial, ownAddresses: () => [] });
  const refusal = (hostname: string): Promise<unknown> =>
    new Promise((resolve) => connect({ hostname, port: "443", protocol: "https:" }, (...[error]) => resolve(error)));
  // A resolver of an IPv6-only network answers so for public hosts; a script that writes it goes around what is known of names.
  expect(await refusal("api.example.com")).toMatchObject({ code: "STUB" });
  expect(await refusal("64:ff9b::808:808")).toMatchObject({ code: "ADDRESS_REFUSED", addressClass: "blocked" });
  expect(dialed.map(({ hostname }) => hostname)).toEqual(["api.example.com"]);
});

test("a server that offers HTTP/2 is spoken to in HTTP/1.1", async () => {
  const { key, cert } = selfSigned("localhost");
  const server = createSecureServer({ key, cert, allowHTTP1: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const { socket } = await createDial({ ca: cert })({ hostname: "localhost", port, isTls: true, addresses: ["127.0.0.1"] });
  onTestFinished(() => void socket.destroy());
  expect(socket).toMatchObject({ alpnProtocol: "http/1.1", authorized: true });
});

test("where toolyard.json says no plain http, or no requests at all, none is sent", async () => {
  const api = await serve((_request, response) => void response.end("reached"));
  const url = `http://127.0.0.1:${api.port}/`;
  const script = "async function main() { return (await g.http.makeHttpRequest(g.config.url)).body; }";
  const tool = {
    name: "call",
    description: "Calls the API",
    script: "scripts/call.js",
    headers: { "X-Key": "{{API_KEY}}" },
    config: { url },
  };
  const root = makeFolder({ "tools.json": { tools: [tool] }, "scripts/call.js": script });
  const home = makeHome();
  await storeSecret({ root, home }, "API_KEY", VALUE, { hosts: [`http://127.0.0.1:${api.port}`] });
  const runtime = await openTestRuntime(root, home);
  const answers = [];
  for (const network of [{}, { allowHttp: false }, { enabled: false }]) {
    putFiles(root, { "toolyard.json": { network } });
    await runtime.engine.reload({ agent: "default", origin: "mcp" });
    const result = await runtime.run("call");
    answers.push([result.kind === "error" ? result.code : result.kind, api.hits.length]);
  }
  expect(answers).toEqual([
    ["ok", 1],
    ["HOST_NOT_ALLOWED", 1],
    ["UNAVAILABLE", 1],
  ]);
});

test("a body of another type than JSON is refused before it is read", async () => {
  await using server = await startTestHttp(testEngine([echo]));
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer right-token\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{",
  );
  expect((await readAnswer(socket)).status).toBe(415);
});

async function* none(): AsyncIterable<Uint8Array> {
  // An answer without a body.
}

async function* some(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
