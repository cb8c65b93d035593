// What was opened with a token must end with that token, and must not be usable with another one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { openAgentStore } from "../../src/policy/agent-store.ts";
import type { HttpAuth } from "../../src/server/http-gate.ts";
import { changingSource, codeTool, echo, testEngine, waitTool } from "../support/mcp-engine.ts";
import {
  legacyMessage,
  modernHeaders,
  modernMessage,
  openSession,
  POST_HEADERS,
  post,
  startTestHttp,
  streamEnd,
  textUntil,
} from "../support/mcp-http.ts";

const WORKSPACE = "workspace-1";
const TIMES = { recheckMs: 20 };
/** So long that no check happens during a test. */
const WITHOUT_RECHECK = { recheckMs: 3_600_000 };

type Headers = Readonly<Record<string, string>>;

async function agentList() {
  const home = await mkdtemp(join(tmpdir(), "toolyard-revocation-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const server = openAgentStore(home);
  const auth: HttpAuth = { kind: "token", verify: (token) => server.verify(token, WORKSPACE) };
  // Another process, as for `agents add` and `agents remove`.
  const command = openAgentStore(home);
  return {
    auth,
    add: async (agent: string): Promise<Headers> => ({ authorization: `Bearer ${await command.addAgent(agent, WORKSPACE)}` }),
    remove: (agent: string) => command.removeAgent(agent, WORKSPACE),
  };
}

function listen(url: string, session: string, headers: Headers): Promise<Response> {
  return fetch(url, { headers: { ...POST_HEADERS, ...headers, "mcp-session-id": session } });
}

function subscribe(url: string, headers: Headers): Promise<Response> {
  const message = modernMessage("subscriptions/listen", { notifications: { toolsListChanged: true } }, 5);
  return post(url, message, { ...modernHeaders("subscriptions/listen"), ...headers });
}

test("a session opened with one token of an agent is unknown to another token of the same agent", async () => {
  const { auth, add } = await agentList();
  const [first, second] = [await add("ci"), await add("ci")];
  const statuses = async (url: string, session: string, headers: Headers): Promise<readonly number[]> => {
    const named = { ...headers, "mcp-session-id": session };
    const call = await post(url, legacyMessage("tools/call", { name: "echo", arguments: { text: "x" } }), named);
    await call.text();
    const stream = await listen(url, session, headers);
    await stream.body?.cancel();
    const end = await fetch(url, { method: "DELETE", headers: { ...POST_HEADERS, ...named } });
    await end.text();
    return [call.status, stream.status, end.status];
  };
  // Where nothing tells clients apart, the id alone is enough.
  await using open = await startTestHttp(testEngine([echo]), { auth: { kind: "none", agent: "ci" } });
  expect(await statuses(open.url, await openSession(open.url, first), second)).toEqual([200, 200, 200]);
  await using server = await startTestHttp(testEngine([echo]), { auth });
  const session = await openSession(server.url, first);
  expect(await statuses(server.url, session, second)).toEqual([404, 404, 404]);
  expect(await statuses(server.url, session, first)).toEqual([200, 200, 200]);
});

test("without a further look at tokens, streams of a removed token go on", async () => {
  const { auth, add, remove } = await agentList();
  const source = changingSource([echo]);
  await using server = await startTestHttp(testEngine(source), { auth, times: WITHOUT_RECHECK });
  const ci = await add("ci");
  const streams = [await listen(server.url, await openSession(server.url, ci), ci), await subscribe(server.url, ci)];
  await remove("ci");
  source.replace([echo, codeTool("grown", async () => ({ kind: "value", value: 1 }))]);
  for (const stream of streams) expect(await textUntil(stream, "list_changed")).toContain("list_changed");
});

test("removing a token ends its streams and subscriptions and cancels its calls, and no other token's", async () => {
  const { auth, add, remove } = await agentList();
  const cancelled: string[] = [];
  const isCancelled = Promise.withResolvers<void>();
  const isStarted = Promise.withResolvers<void>();
  let running = 0;
  const wait = waitTool({
    started: () => {
      running++;
      if (running === 3) isStarted.resolve();
    },
    cancelled: () => {
      cancelled.push("cancelled");
      if (cancelled.length === 3) isCancelled.resolve();
    },
  });
  const source = changingSource([echo, wait]);
  await using server = await startTestHttp(testEngine(source), { auth, times: TIMES });
  const { url } = server;
  const [ci, ann] = [await add("ci"), await add("ann")];
  const [session, annSession] = [await openSession(url, ci), await openSession(url, ann)];
  const streams = [await listen(url, session, ci), await subscribe(url, ci)];
  const kept = [await listen(url, annSession, ann), await subscribe(url, ann)];
  const legacyCall = legacyMessage("tools/call", { name: "wait", arguments: {} }, 7);
  const call = await post(url, legacyCall, { ...ci, "mcp-session-id": session });
  // A 2025 call goes on when its connection is lost, so the session itself must end.
  const lost = new AbortController();
  const orphanSession = await openSession(url, ci);
  await post(url, legacyCall, { ...ci, "mcp-session-id": orphanSession }, lost.signal);
  lost.abort();
  const modernCall = post(url, modernMessage("tools/call", { name: "wait", arguments: {} }), {
    ...modernHeaders("tools/call", "wait"),
    ...ci,
  });
  const modernEnd = modernCall.then(
    (response) => response.status,
    () => "closed",
  );
  await isStarted.promise;
  await remove("ci");
  await isCancelled.promise;
  await Promise.all([...streams, call].map(streamEnd));
  expect(await modernEnd).toBe("closed");
  expect((await listen(url, session, ci)).status).toBe(401);
  source.replace([echo, codeTool("grown", async () => ({ kind: "value", value: 1 }))]);
  for (const stream of kept) expect(await textUntil(stream, "list_changed")).toContain("list_changed");
});

test("a session of a removed token ends although nothing is under way in it", async () => {
  const { auth, add, remove } = await agentList();
  const revoked = Promise.withResolvers<unknown>();
  const info = (event: string, fields?: unknown): void => void (event === "mcp.session.revoked" && revoked.resolve(fields));
  await using server = await startTestHttp(testEngine([echo]), { auth, times: TIMES, log: { ...silentLog, info } });
  await openSession(server.url, await add("ci"));
  await remove("ci");
  expect(await revoked.promise).toEqual({ agent: "ci" });
});

test("streams also end when the agent is not defined any more, and when the token list cannot be read", async () => {
  let state: "good" | "undefined" | "removed" | "unreadable" = "good";
  const auth: HttpAuth = {
    kind: "token",
    verify: () => {
      if (state === "unreadable") throw new Error("unreadable");
      return state === "removed" ? undefined : { agent: "ci" };
    },
    isDefined: () => state !== "undefined",
  };
  await using server = await startTestHttp(testEngine([echo]), { auth, times: TIMES });
  for (const next of ["undefined", "removed", "unreadable"] as const) {
    state = "good";
    const streams = [await listen(server.url, await openSession(server.url), {}), await subscribe(server.url, {})];
    state = next;
    await Promise.all(streams.map(streamEnd));
  }
});
