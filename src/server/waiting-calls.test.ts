// Questions that get no answer: the client is late, cancels or goes, or the server stops. The call ends, and nothing is left.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ASKED_CLIENTS, type AskingBench, CAN_ASK, isQuestion, legacyAsked, openAskingBench } from "../../test/support/asking-bench.ts";
import {
  legacyMessage,
  modernHeaders,
  modernMessage,
  notification,
  openSession,
  post,
  startTestHttp,
} from "../../test/support/mcp-http.ts";
import { type Inbox, paramsOf, readEvents } from "../../test/support/mcp-inbox.ts";

// One sandbox for all tests but those with limits of their own: to start one takes longer than they do.
const shared = new AsyncDisposableStack();
const opened = Promise.withResolvers<AskingBench>();
const open = (): Promise<AskingBench> => opened.promise;
beforeAll(async () => opened.resolve(await openAskingBench(shared, {})));
afterAll(() => shared.disposeAsync());

test.for(ASKED_CLIENTS)("%s: a question nobody answers ends with its own limit, and what comes later is not heard", async ([, connect]) => {
  await using stack = new AsyncDisposableStack();
  const runtime = await openAskingBench(stack, { questionMs: 200 });
  const asked = await connect(runtime);
  const record = runtime.nextRecord();
  await asked.begin("asks");
  expect(await record).toMatchObject({ tool: "asks", outcome: "TIMEOUT" });
  // The call is over; of 2026-07-28 its result waits for the client to come back.
  expect(await asked.answer({ action: "accept", content: { size: "large" } })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "TIMEOUT" } },
  });
  expect(runtime.engine.callsInFlight()).toBe(0);
});

test("2025-11-25: a call that is cancelled while it waits takes its question back and ends", async () => {
  const runtime = await open();
  const asked = await legacyAsked(runtime);
  const record = runtime.nextRecord();
  await asked.begin("asks");
  const question = asked.client.messages.find(isQuestion);
  asked.client.send(notification("notifications/cancelled", { requestId: 1 }));
  expect(await record).toMatchObject({ outcome: "CANCELLED" });
  await asked.client.heard(({ method }) => method === "notifications/cancelled");
  expect(paramsOf(asked.client, "notifications/cancelled")).toMatchObject([{ requestId: question?.id }]);
  expect(runtime.engine.callsInFlight()).toBe(0);
});

test.for(ASKED_CLIENTS)(
  "%s over stdio: when the client goes while a question is open, its call is cancelled with the connection",
  async ([, connect]) => {
    const runtime = await open();
    const asked = await connect(runtime);
    const record = runtime.nextRecord();
    await asked.begin("asks");
    asked.client.end();
    expect(await asked.client.ended).toBe("stdin-end");
    expect(await record).toMatchObject({ outcome: "CANCELLED" });
    expect(runtime.engine.callsInFlight()).toBe(0);
  },
);

/** A question over HTTP: the stream or answer it came in. */
async function askOverHttp(url: string, generation: string, signal?: AbortSignal): Promise<void> {
  const params = { name: "asks", arguments: {} };
  if (generation === "2026-07-28") {
    const response = await post(url, modernMessage("tools/call", params, 1, CAN_ASK), modernHeaders("tools/call", "asks"), signal);
    expect(await response.json()).toMatchObject({ result: { resultType: "input_required" } });
    return;
  }
  const session = await openSession(url, {}, CAN_ASK);
  const stream: Inbox = readEvents(await post(url, legacyMessage("tools/call", params, 1), { "mcp-session-id": session }, signal));
  await stream.heard(isQuestion);
}

test.for(["2025-11-25", "2026-07-28"])(
  "%s over HTTP: a client that disappears leaves a call that ends within the limit of its question, and frees its place",
  async (generation) => {
    await using stack = new AsyncDisposableStack();
    const runtime = await openAskingBench(stack, { questionMs: 300, questionsAtOnce: 1 });
    await using server = await startTestHttp(runtime.engine);
    for (let round = 0; round < 2; round++) {
      const record = runtime.nextRecord();
      const gone = new AbortController();
      await askOverHttp(server.url, generation, gone.signal);
      gone.abort();
      expect(await record).toMatchObject({ outcome: "TIMEOUT" });
      expect(runtime.engine.callsInFlight()).toBe(0);
    }
  },
);

test.for(["2025-11-25", "2026-07-28"])(
  "%s over HTTP: a server that stops does not wait for people: the call is cancelled",
  async (generation) => {
    const runtime = await open();
    const server = await startTestHttp(runtime.engine);
    const record = runtime.nextRecord();
    await askOverHttp(server.url, generation);
    await server.close(0);
    expect(await record).toMatchObject({ outcome: "CANCELLED" });
    expect(runtime.engine.callsInFlight()).toBe(0);
  },
);
