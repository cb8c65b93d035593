import { expect, test } from "vitest";
import { codeTool, echo, testEngine } from "../../test/support/mcp-engine.ts";
import {
  legacyMessage,
  modernHeaders,
  modernMessage,
  notification,
  openSession,
  POST_HEADERS,
  post,
  startTestHttp,
} from "../../test/support/mcp-http.ts";
import { readEvents } from "../../test/support/mcp-inbox.ts";
import { HTTP_TIMES } from "./http.ts";

test("every kind of request to a session that is not there is 404 with JSON, and no stream begins", async () => {
  await using server = await startTestHttp(testEngine([echo]));
  const gone = { "mcp-session-id": "from-before-the-restart" };
  const headers = { ...POST_HEADERS, ...gone };
  const answers = [
    await post(server.url, legacyMessage("tools/list"), gone),
    await post(server.url, notification("notifications/initialized"), gone),
    await post(server.url, { jsonrpc: "2.0", id: 1, result: { action: "decline" } }, gone),
    await fetch(server.url, { headers: { ...headers, accept: "text/event-stream" } }),
    await fetch(server.url, { headers: { ...headers, accept: "text/event-stream", "last-event-id": "5" } }),
    await fetch(server.url, { method: "DELETE", headers }),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(await answer.json()).toMatchObject({ error: { code: -32_001 } });
  }
});

test("a client of a server that was restarted is told 404, starts anew with its old id, and goes on under another", async () => {
  const first = await startTestHttp(testEngine([echo]));
  const old = await openSession(first.url);
  await first.close(0);
  await using second = await startTestHttp(testEngine([echo]));
  const call = legacyMessage("tools/call", { name: "echo", arguments: { text: "x" } });
  expect((await post(second.url, call, { "mcp-session-id": old })).status).toBe(404);
  const session = await openSession(second.url, { "mcp-session-id": old });
  expect(session).not.toBe(old);
  expect((await post(second.url, call, { "mcp-session-id": session })).status).toBe(200);
  expect((await post(second.url, call, { "mcp-session-id": old })).status).toBe(404);
});

test("streams carry a comment more often than proxies cut, which is 30 s at the least", () => {
  expect(HTTP_TIMES.pingMs).toBeLessThan(30_000);
});

test("all streams carry comments: that of a session, those of running calls in both generations, and of a subscription", async () => {
  const end = Promise.withResolvers<void>();
  const silent = codeTool("silent", async ({ progress }) => {
    progress({ done: 1 });
    await end.promise;
    return { kind: "value", value: "done" };
  });
  await using server = await startTestHttp(testEngine([silent]), { times: { pingMs: 15 } });
  const { url } = server;
  const session = { "mcp-session-id": await openSession(url) };
  const call = { name: "silent", arguments: {} };
  const asked = modernMessage("subscriptions/listen", { notifications: { toolsListChanged: true } }, 5);
  const streams = {
    session: await fetch(url, { headers: { ...POST_HEADERS, ...session } }),
    legacyCall: await post(url, legacyMessage("tools/call", call, 1), session),
    modernCall: await post(url, modernMessage("tools/call", call, 2), modernHeaders("tools/call", "silent")),
    modernCallWithProgress: await post(
      url,
      modernMessage("tools/call", call, 3, {}, { progressToken: 3 }),
      modernHeaders("tools/call", "silent"),
    ),
    subscription: await post(url, asked, modernHeaders("subscriptions/listen")),
  };
  for (const [name, response] of Object.entries(streams)) {
    expect([name, response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([name, 200, "text/event-stream"]);
  }
  await Promise.all(Object.values(streams).map((response) => commentsOf(response.clone(), 3)));
  end.resolve();
  const calls = [streams.legacyCall, streams.modernCall, streams.modernCallWithProgress].map(readEvents);
  await Promise.all(calls.map(({ ended }) => ended));
  expect(calls.map(({ messages }) => messages.at(-1))).toMatchObject(
    [1, 2, 3].map((id) => ({ id, result: { content: [{ text: "done" }] } })),
  );
});

/** Reads until that many comments came. */
async function commentsOf(response: Response, count: number): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split(/^:/m).length <= count) {
    const part = await reader?.read();
    if (part === undefined || part.done) throw new Error(`The stream ended after "${text}".`);
    text += part.value;
  }
  reader?.cancel().catch(() => undefined); // The other half of the clone is read on.
}
