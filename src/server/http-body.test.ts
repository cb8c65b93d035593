import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { echo, testEngine } from "../../test/support/mcp-engine.ts";
import { POST_HEADERS, startTestHttp, TEST_TOKEN } from "../../test/support/mcp-http.ts";
import { discardRest } from "./http-body.ts";

const MIB = 1024 * 1024;
const HEAD = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TEST_TOKEN}\r\nContent-Type: application/json\r\n`;
const BODY = "x".repeat(5 * MIB);
const BODIES = [
  ["announced", `Content-Length: ${BODY.length}\r\n\r\n${BODY}`],
  ["in chunks", `Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`],
] as const;

/** Sends everything before it reads anything, as simple clients do; gives what it got until `isEnd`, or until the connection is gone. */
async function sendThenRead(port: number, bytes: string, isEnd: (text: string) => boolean): Promise<string> {
  const socket = connect(port, "127.0.0.1").pause();
  // A connection that is reset is the failure this looks for; what was read until then tells.
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await Promise.race([new Promise((resolve) => socket.write(bytes, resolve)), closed]);
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (isEnd(text)) socket.end();
  });
  socket.resume();
  await closed;
  return text;
}

test("a server that closes right after its answer resets a client that is still sending", async () => {
  const server = createServer((_request, response) => response.writeHead(413, { connection: "close" }).end("too large"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  expect(await sendThenRead(port, HEAD + BODIES[0][1], (text) => text.endsWith("too large"))).toBe("");
});

test.each(BODIES)("a client that sends a body of 5 MiB, %s, to its end gets the 413 with the limit", async (_form, body) => {
  await using server = await startTestHttp(testEngine([echo]));
  const text = await sendThenRead(server.port, HEAD + body, (got) => got.includes("httpBodyBytes"));
  expect(text.split("\r\n")[0]).toBe("HTTP/1.1 413 Payload Too Large");
  expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4))).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_000, message: 'The body is over the limit of 4194304 bytes ("httpBodyBytes"). Send less at once.' },
  });
  const response = await fetch(server.url, { method: "POST", headers: POST_HEADERS, body: BODY });
  expect([response.status, await response.text()]).toEqual([413, text.slice(text.indexOf("\r\n\r\n") + 4)]);
});

test("what is thrown away has an end: a client that never stops sending is cut off", async () => {
  const server = createServer((request, response) => {
    response.writeHead(413).end("too large");
    discardRest(request, MIB);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").resume();
  socket.on("error", () => undefined);
  socket.write(`${HEAD}Content-Length: ${1024 * MIB}\r\n\r\n`);
  let sent = 0;
  const pump = (): void => {
    while (socket.writable && socket.write("x".repeat(65_536))) sent += 65_536;
  };
  socket.on("drain", pump);
  pump();
  await new Promise((resolve) => socket.once("close", resolve));
  expect(sent).toBeLessThan(64 * MIB);
});
