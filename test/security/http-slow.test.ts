// Clients that send or read slowly, or vanish, must not cost the others anything.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { codeTool, echo, testEngine, waitTool } from "../support/mcp-engine.ts";
import {
  callModern,
  messagesOf,
  modernHeaders,
  modernMessage,
  openSession,
  POST_HEADERS,
  startTestHttp,
  TEST_TOKEN,
} from "../support/mcp-http.ts";
import { rawRequest, readAnswer } from "../support/raw-http.ts";

/** Sends the text a byte every 20 ms until the server ends the connection. */
function drip(port: number, text: string): { readonly socket: Socket; readonly answer: ReturnType<typeof readAnswer> } {
  const socket = connect({ port, host: "127.0.0.1" });
  let index = 0;
  const timer = setInterval(() => socket.write(text[index++ % text.length] ?? ""), 20);
  socket.on("close", () => clearInterval(timer));
  return { socket, answer: readAnswer(socket) };
}

const HEAD = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TEST_TOKEN}\r\nContent-Type: application/json\r\n`;

async function isServed(url: string): Promise<boolean> {
  const response = await callModern(url, "echo", { text: "hello" });
  return response.status === 200 && (await response.text()).includes("hello");
}

test("a head or a body that comes byte by byte is cut off, while other clients are served", async () => {
  const engine = testEngine([echo]);
  await using patient = await startTestHttp(engine, { times: { headersMs: 60_000, requestMs: 60_000 } });
  // For a head there is a time of its own, much shorter than that for the whole request.
  await using strict = await startTestHttp(engine, { times: { headersMs: 200, requestMs: 60_000 } });
  await using server = await startTestHttp(engine, { times: { headersMs: 200, requestMs: 400 } });
  const unguarded = drip(patient.port, `${HEAD}X-Long: ${"x".repeat(5_000)}`);
  const head = drip(strict.port, `${HEAD}X-Long: ${"x".repeat(5_000)}`);
  const bodySocket = connect({ port: server.port, host: "127.0.0.1" });
  bodySocket.write(`${HEAD}Content-Length: 1000\r\n\r\n`);
  const bodyTimer = setInterval(() => bodySocket.write(" "), 20);
  const body = readAnswer(bodySocket).finally(() => clearInterval(bodyTimer));
  expect([await isServed(strict.url), await isServed(server.url)]).toEqual([true, true]);
  expect([(await head.answer).status, (await body).status]).toEqual([408, 408]);
  expect(unguarded.socket.destroyed).toBe(false);
  unguarded.socket.destroy();
});

test("a client that stops reading its answer is dropped, and its call is cancelled", async () => {
  const cancelled = Promise.withResolvers<void>();
  const flood = codeTool("flood", async ({ signal, progress }) => {
    for (let done = 1; done <= 3_000; done++) progress({ done, message: "x".repeat(10_000) });
    if (!signal.aborted) await once(signal, "abort");
    cancelled.resolve();
    return { kind: "value", value: null };
  });
  await using server = await startTestHttp(testEngine([echo, flood]), { times: { drainMs: 200 } });
  const message = modernMessage("tools/call", { name: "flood", arguments: {} });
  const withToken = { ...message, params: { ...("params" in message && typeof message.params === "object" ? message.params : {}) } };
  const body = JSON.stringify(withToken).replace('"_meta":{', '"_meta":{"progressToken":1,');
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(
    rawRequest(
      "POST /mcp HTTP/1.1",
      [["Host", "localhost"], ...Object.entries({ ...POST_HEADERS, ...modernHeaders("tools/call", "flood") })],
      body,
    ),
  );
  await cancelled.promise;
  expect(await isServed(server.url)).toBe(true);
  socket.destroy();
});

test("a client of 2026-07-28 that vanishes in the middle of a call cancels it, and nothing else suffers", async () => {
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const wait = waitTool({ started: started.resolve, cancelled: cancelled.resolve });
  await using server = await startTestHttp(testEngine([echo, wait]), { times: { pingMs: 20 } });
  const controller = new AbortController();
  const response = await callModern(server.url, "wait", {}, controller.signal);
  await started.promise;
  const reading = response.text();
  controller.abort();
  await expect(reading).rejects.toThrow();
  await cancelled.promise;
  expect(await isServed(server.url)).toBe(true);
});

test("an answer that takes long becomes an event stream with comments, so that nothing in between cuts it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = codeTool("late", async () => {
    await promise;
    return { kind: "value", value: { text: "first line\nsecond line" } };
  });
  await using server = await startTestHttp(testEngine([late]), { times: { pingMs: 20 } });
  const response = await callModern(server.url, "late", {});
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  resolve();
  const text = await response.clone().text();
  expect(text.startsWith(": keepalive\n\n")).toBe(true);
  expect(await messagesOf(response)).toMatchObject([{ id: 1, result: { structuredContent: { text: "first line\nsecond line" } } }]);
});

test("the listening stream of a session of 2025-11-25 carries comments too, and can be opened again at once after its connection broke", async () => {
  await using server = await startTestHttp(testEngine([echo]), { times: { pingMs: 20 } });
  const session = await openSession(server.url);
  const listen = (signal: AbortSignal) => fetch(server.url, { headers: { ...POST_HEADERS, "mcp-session-id": session }, signal });
  for (let round = 0; round < 3; round++) {
    const controller = new AbortController();
    // The server learns of the broken connection when its socket closes, which may be a moment after the next request arrives.
    const response = await until200(() => listen(controller.signal));
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe(": keepalive\n\n");
    controller.abort();
  }
});

async function until200(request: () => Promise<Response>): Promise<Response> {
  const deadline = performance.now() + 2_000;
  for (;;) {
    const response = await request();
    if (response.status === 200 || performance.now() > deadline) return response;
    await response.text();
  }
}
