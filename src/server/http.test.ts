import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { changingSource, codeTool, echo, slow, testEngine, waitTool } from "../../test/support/mcp-engine.ts";
import {
  callModern,
  INITIALIZE,
  legacyMessage,
  listeningSession,
  messagesOf,
  modernHeaders,
  modernMessage,
  notification,
  openSession,
  POST_HEADERS,
  post,
  startTestHttp,
  textUntil,
} from "../../test/support/mcp-http.ts";
import { defaultLimits } from "../core/limits.ts";
import { silentLog } from "../core/log.ts";
import { openAgentStore } from "../policy/agent-store.ts";

const engine = testEngine([echo, slow]);

function callEcho(url: string, session: string, headers: Record<string, string> = {}): Promise<Response> {
  return post(url, legacyMessage("tools/call", { name: "echo", arguments: { text: "x" } }), { ...headers, "mcp-session-id": session });
}

test("both generations of the protocol are answered on the same path", async () => {
  await using server = await startTestHttp(engine);
  const modern = await callModern(server.url, "echo", { text: "x" });
  expect(await messagesOf(modern)).toMatchObject([{ id: 1, result: { structuredContent: { text: "x" } } }]);
  const session = await openSession(server.url);
  expect(await messagesOf(await callEcho(server.url, session))).toMatchObject([{ id: 1, result: { structuredContent: { text: "x" } } }]);
});

test("an unknown revision is answered with the ones that are known", async () => {
  await using server = await startTestHttp(engine);
  const text = JSON.stringify(modernMessage("tools/list")).replaceAll("2026-07-28", "2031-01-01");
  const response = await post(server.url, text, { "mcp-protocol-version": "2031-01-01", "mcp-method": "tools/list" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32_022, data: { supported: ["2026-07-28"] } } });
});

test("a call of a bad shape is an answer of status 200 in both generations, so that clients show its message", async () => {
  await using server = await startTestHttp(engine);
  const session = await openSession(server.url);
  const params = { name: "echo", arguments: 5 };
  const message = '"arguments" of tools/call must be an object with what the tool takes, or left out; found a number.';
  for (const response of [
    await post(server.url, legacyMessage("tools/call", params), { "mcp-session-id": session }),
    await post(server.url, modernMessage("tools/call", params), modernHeaders("tools/call", "echo")),
  ]) {
    expect([response.status, await messagesOf(response)]).toEqual([200, [{ jsonrpc: "2.0", id: 1, error: { code: -32_602, message } }]]);
  }
});

test("a session that is not known, or ended, answers 404 before any stream; without an id it is 400", async () => {
  await using server = await startTestHttp(engine);
  expect((await callEcho(server.url, "unknown")).status).toBe(404);
  const listen = await fetch(server.url, { headers: { ...POST_HEADERS, "mcp-session-id": "unknown" } });
  expect([listen.status, listen.headers.get("content-type")]).toEqual([404, "application/json"]);
  expect((await post(server.url, legacyMessage("tools/list"))).status).toBe(400);
  const session = await openSession(server.url);
  const ended = await fetch(server.url, { method: "DELETE", headers: { ...POST_HEADERS, "mcp-session-id": session } });
  expect(ended.status).toBe(200);
  expect((await callEcho(server.url, session)).status).toBe(404);
});

test("initialize with the id of a session that is gone, or that lives, opens a new one", async () => {
  await using server = await startTestHttp(engine);
  const first = await openSession(server.url, { "mcp-session-id": "from-before-the-restart" });
  const second = await openSession(server.url, { "mcp-session-id": first });
  expect(second).not.toBe(first);
  expect((await callEcho(server.url, first)).status).toBe(200);
});

test("a session answers only to the agent that opened it", async () => {
  const auth = { kind: "token" as const, verify: (token: string) => ({ agent: token }) };
  await using server = await startTestHttp(testEngine([echo], ["ann", "bob"]), { auth });
  const ann = { authorization: "Bearer ann" };
  const session = await openSession(server.url, ann);
  expect((await callEcho(server.url, session, ann)).status).toBe(200);
  expect((await callEcho(server.url, session, { authorization: "Bearer bob" })).status).toBe(404);
});

test("over the cap of sessions a further one is refused while all are in use, until one ends", async () => {
  await using server = await startTestHttp(engine, { limits: () => ({ ...defaultLimits(), sessions: 2 }) });
  const [first, second] = [await listeningSession(server.url), await listeningSession(server.url)];
  const refused = await post(server.url, legacyMessage("initialize", INITIALIZE));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
  await refused.text();
  await fetch(server.url, { method: "DELETE", headers: { ...POST_HEADERS, "mcp-session-id": first.id } });
  await openSession(server.url);
  await second.stop();
});

test("a limit that is edited while the server runs holds for the next request and session", async () => {
  let limits = { ...defaultLimits(), sessions: 1 };
  await using server = await startTestHttp(engine, { limits: () => limits });
  const listening = await listeningSession(server.url);
  const initialize = async (): Promise<number> => {
    const response = await post(server.url, legacyMessage("initialize", INITIALIZE));
    await response.text();
    return response.status;
  };
  expect(await initialize()).toBe(503);
  limits = { ...limits, sessions: 2 };
  expect(await initialize()).toBe(200);
  limits = { ...limits, httpBodyBytes: 20 };
  expect(await initialize()).toBe(413);
  await listening.stop();
});

test("handshakes that arrive at the same time cannot pass the cap together", async () => {
  // A slow disk: all handshakes are under way before the first one is through.
  const source = { ...changingSource([echo]), refresh: () => delay(100) };
  await using server = await startTestHttp(testEngine(source), { limits: () => ({ ...defaultLimits(), sessions: 2 }) });
  const many = await Promise.all(Array.from({ length: 6 }, () => post(server.url, legacyMessage("initialize", INITIALIZE))));
  expect(many.map((response) => response.status).sort()).toEqual([200, 200, 503, 503, 503, 503]);
});

test("a session ends after its idle time, but not while it listens or calls", async () => {
  const ended = Promise.withResolvers<void>();
  let isUsed = true;
  const info = (event: string): void => {
    if (event !== "mcp.session.idle") return;
    if (isUsed) ended.reject(new Error("It ended while it was used."));
    else ended.resolve();
  };
  const limits = () => ({ ...defaultLimits(), sessionIdleMs: 150 });
  await using server = await startTestHttp(engine, { limits, log: { ...silentLog, info } });
  const session = await openSession(server.url);
  const controller = new AbortController();
  const listening = await fetch(server.url, { headers: { ...POST_HEADERS, "mcp-session-id": session }, signal: controller.signal });
  expect(listening.status).toBe(200);
  const busy = await post(server.url, legacyMessage("tools/call", { name: "slow", arguments: { ms: 400 } }), { "mcp-session-id": session });
  expect(await messagesOf(busy)).toMatchObject([{ result: { structuredContent: { waitedMs: 400 } } }]);
  expect((await callEcho(server.url, session)).status).toBe(200);
  isUsed = false;
  controller.abort();
  await ended.promise;
  expect((await callEcho(server.url, session)).status).toBe(404);
});

test("a 2025 client's cancellation reaches its call and closes the stream the answer was awaited on", async () => {
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const wait = waitTool({ started: started.resolve, cancelled: cancelled.resolve });
  await using server = await startTestHttp(testEngine([wait]));
  const session = await openSession(server.url);
  const call = await post(server.url, legacyMessage("tools/call", { name: "wait", arguments: {} }, 7), { "mcp-session-id": session });
  await started.promise;
  const note = await post(server.url, notification("notifications/cancelled", { requestId: 7 }), { "mcp-session-id": session });
  expect(note.status).toBe(202);
  await cancelled.promise;
  expect(await messagesOf(call)).toEqual([]);
});

test("a change of the tools is told to sessions that listen and to subscribers of 2026-07-28", async () => {
  const source = changingSource([echo]);
  await using server = await startTestHttp(testEngine(source));
  const session = await openSession(server.url);
  const listening = await fetch(server.url, { headers: { ...POST_HEADERS, "mcp-session-id": session } });
  const subscribed = await post(
    server.url,
    modernMessage("subscriptions/listen", { notifications: { toolsListChanged: true } }, 5),
    modernHeaders("subscriptions/listen"),
  );
  expect([listening.status, subscribed.status]).toEqual([200, 200]);
  source.replace([echo, codeTool("grown", async () => ({ kind: "value", value: 1 }))]);
  expect(await textUntil(listening, "list_changed")).toContain('"notifications/tools/list_changed"');
  expect(await textUntil(subscribed, "list_changed")).toContain('"notifications/tools/list_changed"');
  await server.close(0);
});

test("a token stops working at the next request after another process removed it", async () => {
  const home = await mkdtemp(join(tmpdir(), "toolyard-agents-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const store = openAgentStore(home);
  const token = await store.addAgent("ci", "workspace-1");
  await using server = await startTestHttp(engine, { auth: { kind: "token", verify: (given) => store.verify(given, "workspace-1") } });
  const authorization = `Bearer ${token}`;
  const status = async (): Promise<number> =>
    (await post(server.url, modernMessage("tools/list"), { ...modernHeaders("tools/list"), authorization })).status;
  expect(await status()).toBe(200);
  await openAgentStore(home).removeAgent("ci", "workspace-1");
  expect(await status()).toBe(401);
});

test("a port that is taken is said with its reason", async () => {
  await using server = await startTestHttp(engine);
  await expect(startTestHttp(engine, { port: server.port })).rejects.toMatchObject({ code: "UNAVAILABLE", data: { reason: "EADDRINUSE" } });
});

test("closing lets a call finish and takes no new one", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const last = codeTool("last", async () => {
    started.resolve();
    await finish.promise;
    return { kind: "value", value: "finished" };
  });
  const server = await startTestHttp(testEngine([echo, last]));
  const idle = await callModern(server.url, "echo", { text: "x" });
  await idle.text();
  const answer = callModern(server.url, "last", {});
  await started.promise;
  const closed = server.close();
  const refused = connect({ port: server.port, host: "127.0.0.1" });
  expect(await once(refused, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
  finish.resolve();
  expect(await messagesOf(await answer)).toMatchObject([{ result: { content: [{ text: "finished" }] } }]);
  await closed;
});

test("closing cancels what runs past the deadline, in both generations, and a second close does not wait", async () => {
  const cancelled: string[] = [];
  const bothStarted = Promise.withResolvers<void>();
  let running = 0;
  const started = (): void => {
    running++;
    if (running === 2) bothStarted.resolve();
  };
  const wait = waitTool({ started, cancelled: () => cancelled.push("cancelled") });
  const server = await startTestHttp(testEngine([wait]));
  const session = await openSession(server.url);
  const legacy = await post(server.url, legacyMessage("tools/call", { name: "wait", arguments: {} }), { "mcp-session-id": session });
  const modern = callModern(server.url, "wait", {}).then(
    (response) => response.status,
    () => 0,
  );
  await bothStarted.promise;
  const patient = server.close(60_000);
  await server.close();
  await patient;
  expect(cancelled).toEqual(["cancelled", "cancelled"]);
  expect(await messagesOf(legacy)).toEqual([]);
  expect([499, 0]).toContain(await modern);
});

test("20 calls at once are all answered, in both generations", async () => {
  await using server = await startTestHttp(engine);
  const session = await openSession(server.url);
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const modern = await Promise.all(numbers.map(async (index) => messagesOf(await callModern(server.url, "echo", { text: `m${index}` }))));
  const legacy = await Promise.all(
    numbers.map(async (index) =>
      messagesOf(
        await post(server.url, legacyMessage("tools/call", { name: "echo", arguments: { text: `l${index}` } }, index), {
          "mcp-session-id": session,
        }),
      ),
    ),
  );
  expect(modern).toMatchObject(numbers.map((index) => [{ result: { structuredContent: { text: `m${index}` } } }]));
  expect(legacy).toMatchObject(numbers.map((index) => [{ id: index, result: { structuredContent: { text: `l${index}` } } }]));
});

test("a port that is in use is said to be, with the way to a free one", async () => {
  await using server = await startTestHttp(engine);
  const { port } = new URL(server.url);
  await expect(startTestHttp(engine, { port: Number(port) })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: `Port ${port} of 127.0.0.1 is in use, perhaps by another toolyard (EADDRINUSE). Choose another port; --http 0 takes a free one.`,
    data: { reason: "EADDRINUSE" },
  });
});
