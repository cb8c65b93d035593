// Calls of one client of many: so many at once, by token, and a place is free again when the call itself is over.
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import { codeTool, echo, testEngine } from "../support/mcp-engine.ts";
import {
  callModern,
  legacyMessage,
  messagesOf,
  modernHeaders,
  modernMessage,
  notification,
  openSession,
  post,
  startTestHttp,
  TEST_TOKEN,
} from "../support/mcp-http.ts";

/** `a2` is a second token of the same agent. */
const AGENTS: Readonly<Record<string, string>> = { [TEST_TOKEN]: "default", a2: "default", b: "other" };

/** A server with a tool that runs until it is told; `started` is how often it began. */
async function startHeld(callsAtOnce: number) {
  const calls: { end(): void; readonly over: Promise<void> }[] = [];
  let wake = Promise.withResolvers<void>();
  const held = codeTool("held", async ({ signal }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    calls.push({ end: resolve, over: over.promise });
    wake.resolve();
    await promise;
    over.resolve();
    return { kind: "value", value: "held" };
  });
  const server = await startTestHttp(testEngine([held, echo], ["default", "other"]), {
    auth: {
      kind: "token",
      verify: (token) => {
        const agent = Object.hasOwn(AGENTS, token) ? AGENTS[token] : undefined;
        return agent === undefined ? undefined : { agent };
      },
    },
    limits: () => ({ ...defaultLimits(), httpCallsAtOnce: callsAtOnce, httpRequestBurst: 1_000 }),
  });
  const until = async (count: number): Promise<void> => {
    while (calls.length < count) {
      wake = Promise.withResolvers();
      await wake.promise;
    }
  };
  return { server, calls, until, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Status of a call that ends at once; polled, since the server learns that a connection is closed a moment after its client. */
async function echoStatus(url: string, wanted: number, headers: Record<string, string> = {}): Promise<number> {
  const deadline = performance.now() + 2_000;
  for (;;) {
    const message = modernMessage("tools/call", { name: "echo", arguments: { text: "x" } });
    const response = await post(url, message, { ...modernHeaders("tools/call", "echo"), ...headers });
    await response.arrayBuffer();
    if (response.status === wanted || performance.now() > deadline) return response.status;
  }
}

test("a token has so many calls at once, one more gets 429 with its id, and other tokens go on", async () => {
  await using held = await startHeld(2);
  const { url } = held.server;
  const running = [callModern(url, "held", {}), callModern(url, "held", {})];
  await held.until(2);
  const refused = await callModern(url, "echo", { text: "x" });
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    429,
    "1",
    {
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32_000,
        message: '2 calls of this client run at once, its limit on this server ("httpCallsAtOnce"). Wait for one to end, or cancel one.',
      },
    },
  ]);
  expect(await echoStatus(url, 200, { authorization: "Bearer b" })).toBe(200);
  expect(await echoStatus(url, 200, { authorization: "Bearer a2" })).toBe(200);
  // What begins no call comes through.
  expect((await post(url, modernMessage("server/discover"), modernHeaders("server/discover"))).status).toBe(200);
  held.calls[0]?.end();
  await Promise.race(running).then((response) => response.text());
  expect(await echoStatus(url, 200)).toBe(200);
  held.calls[1]?.end();
  await Promise.all(running);
});

test("a client of 2026-07-28 that vanishes gives its place back, for its call ends with it", async () => {
  await using held = await startHeld(1);
  const controller = new AbortController();
  const call = callModern(held.server.url, "held", {}, controller.signal).catch(() => "gone");
  await held.until(1);
  expect(await echoStatus(held.server.url, 429)).toBe(429);
  controller.abort();
  expect(await call).toBe("gone");
  expect(await echoStatus(held.server.url, 200)).toBe(200);
});

test("a client of 2025-11-25 that lets go of its connection keeps its place until its call is over, or cancelled", async () => {
  await using held = await startHeld(1);
  const { url } = held.server;
  const session = await openSession(url);
  const named = { "mcp-session-id": session };
  const begin = async (id: number): Promise<void> => {
    const controller = new AbortController();
    const call = post(url, legacyMessage("tools/call", { name: "held", arguments: {} }, id), named, controller.signal);
    await held.until(id);
    controller.abort();
    await call.then((response) => response.text()).catch(() => "gone");
  };
  await begin(1);
  // By that connection alone it could have made room for as many calls as it likes, all of them running.
  expect(await echoStatus(url, 429)).toBe(429);
  held.calls[0]?.end();
  expect(await echoStatus(url, 200)).toBe(200);

  await begin(2);
  expect(await echoStatus(url, 429)).toBe(429);
  // A cancellation is no call, so it comes through though all places are taken.
  const cancelled = await post(url, notification("notifications/cancelled", { requestId: 2 }), named);
  expect(cancelled.status).toBe(202);
  await held.calls[1]?.over;
  expect(await echoStatus(url, 200)).toBe(200);
});

test("a call that says it comes back without having been asked begins nothing, so it gets around no limit", async () => {
  await using held = await startHeld(1);
  const { url } = held.server;
  const call = callModern(url, "held", {});
  await held.until(1);
  for (const requestState of ["", "made-up", 1, {}, null]) {
    const message = modernMessage("tools/call", { name: "held", arguments: {}, requestState });
    const [answer] = await messagesOf(await post(url, message, modernHeaders("tools/call", "held")));
    expect([requestState, answer]).toMatchObject([requestState, { error: {} }]);
  }
  // To older clients the word means nothing, and their call counts.
  const session = await openSession(url);
  const message = legacyMessage("tools/call", { name: "held", arguments: {}, requestState: "x" });
  expect((await post(url, message, { "mcp-session-id": session })).status).toBe(429);
  expect(held.calls.length).toBe(1);
  held.calls[0]?.end();
  await call;
});
