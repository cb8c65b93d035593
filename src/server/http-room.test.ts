import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { codeTool, echo, testEngine } from "../../test/support/mcp-engine.ts";
import {
  INITIALIZE,
  legacyMessage,
  listeningSession,
  messagesOf,
  modernHeaders,
  modernMessage,
  openSession,
  POST_HEADERS,
  post,
  startTestHttp,
  textUntil,
} from "../../test/support/mcp-http.ts";
import { rawRequest, readAnswer } from "../../test/support/raw-http.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import type { HttpOptions } from "./http.ts";

/** Each token is an agent of its name. */
const auth: HttpOptions["auth"] = { kind: "token", verify: (token) => ({ agent: token }) };
const [ANN, BOB] = [{ authorization: "Bearer ann" }, { authorization: "Bearer bob" }];

function start(limits: Partial<Limits>, tools = [echo]) {
  return startTestHttp(testEngine(tools, ["ann", "bob"]), { auth, limits: () => ({ ...defaultLimits(), ...limits }) });
}

/** Status of a call of `echo` in a session: 404 once it has ended. */
async function statusIn(url: string, id: string, headers: Record<string, string>): Promise<number> {
  const call = legacyMessage("tools/call", { name: "echo", arguments: { text: "x" } });
  const answer = await post(url, call, { ...headers, "mcp-session-id": id });
  await answer.text();
  return answer.status;
}

async function initialize(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await post(url, legacyMessage("initialize", INITIALIZE), headers);
  await answer.text();
  return answer.status;
}

test("clients that go without a word lock nobody out: more of them than there are sessions connect, call and close", async () => {
  await using server = await start({ sessions: 3 });
  for (let round = 0; round < 8; round++) {
    const client = new Client({ name: "rounds", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: ANN } }));
    expect(await client.callTool({ name: "echo", arguments: { text: "x" } })).toMatchObject({ structuredContent: { text: "x" } });
    await client.close();
  }
  expect(await initialize(server.url, BOB)).toBe(200);
});

test("the session of the same token that was idle longest makes room; one that listens stays, and so does another token's", async () => {
  await using server = await start({ sessions: 4 });
  const { url } = server;
  const bobs = await openSession(url, BOB);
  const listening = await listeningSession(url, ANN);
  const [older, newer] = [await openSession(url, ANN), await openSession(url, ANN)];
  // From now on the other one was idle longer.
  expect(await statusIn(url, older, ANN)).toBe(200);
  const opened = await openSession(url, ANN);
  const statuses = [];
  for (const [id, headers] of [
    [newer, ANN],
    [older, ANN],
    [listening.id, ANN],
    [opened, ANN],
    [bobs, BOB],
  ] as const) {
    statuses.push(await statusIn(url, id, headers));
  }
  expect(statuses).toEqual([404, 200, 200, 200, 200]);
  await listening.stop();
});

test("a token with more sessions makes room for another one; one with fewer loses none to a token that fills the server", async () => {
  await using server = await start({ sessions: 3 });
  const { url } = server;
  const first = await openSession(url, ANN);
  const listening = [await listeningSession(url, ANN), await listeningSession(url, ANN)];
  const bobs = await openSession(url, BOB);
  expect([await statusIn(url, first, ANN), await statusIn(url, bobs, BOB)]).toEqual([404, 200]);
  // All of Ann's are in use now, and Bob's one is idle.
  expect([await initialize(url, ANN), await statusIn(url, bobs, BOB)]).toEqual([503, 200]);
  await Promise.all(listening.map(({ stop }) => stop()));
});

test("a session whose call goes on makes no room, though its client let go of the connection", async () => {
  const started = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const held = codeTool("held", async () => {
    started.resolve();
    await end.promise;
    return { kind: "value", value: null };
  });
  await using server = await start({ sessions: 1 }, [echo, held]);
  const id = await openSession(server.url, ANN);
  const { port, host, pathname } = new URL(server.url);
  const headers = { ...POST_HEADERS, ...ANN, host, "mcp-session-id": id, "content-type": "application/json" };
  const call = JSON.stringify(legacyMessage("tools/call", { name: "held", arguments: {} }));
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  socket.write(rawRequest(`POST ${pathname} HTTP/1.1`, Object.entries(headers), call));
  await started.promise;
  // The server closes its side once it has seen that the client closed its own.
  socket.end();
  await readAnswer(socket);
  expect([await initialize(server.url, ANN), await statusIn(server.url, id, ANN)]).toEqual([503, 200]);
  end.resolve();
});

test("a token has as many listening streams as the limit says, of both generations, and its calls and other tokens go on", async () => {
  await using server = await start({ httpStreamsAtOnce: 2 });
  const { url } = server;
  const listen = (headers: Record<string, string>) =>
    post(url, modernMessage("subscriptions/listen", { notifications: { toolsListChanged: true } }, 5), {
      ...modernHeaders("subscriptions/listen"),
      ...headers,
    });
  const [first, second] = [await listeningSession(url, ANN), await listen(ANN)];
  expect([first.status, second.status]).toEqual([200, 200]);
  const refused = await listen(ANN);
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    429,
    "60",
    {
      jsonrpc: "2.0",
      id: 5,
      error: {
        code: -32_000,
        message: '2 streams of this client listen at once, its limit on this server ("httpStreamsAtOnce"). Close one.',
      },
    },
  ]);
  const third = await listeningSession(url, ANN);
  expect(third.status).toBe(429);
  expect(await statusIn(url, third.id, ANN)).toBe(200);
  const others = await listeningSession(url, BOB);
  expect(others.status).toBe(200);
  await second.body?.cancel();
  await first.stop();
  await others.stop();
});

test("a stream that ended gives its place back, also one of a session that is not there", async () => {
  await using server = await start({ httpStreamsAtOnce: 1 });
  const { url } = server;
  const gone = await fetch(url, { headers: { ...POST_HEADERS, ...ANN, "mcp-session-id": "gone" } });
  expect([gone.status, await messagesOf(gone)]).toMatchObject([404, [{ error: { code: -32_001 } }]]);
  const session = await openSession(url, ANN);
  const stream = await fetch(url, { headers: { ...POST_HEADERS, ...ANN, "mcp-session-id": session } });
  expect(stream.status).toBe(200);
  // The server ends the stream itself, so it is over there when it is over here.
  const ended = textUntil(stream, "never");
  await fetch(url, { method: "DELETE", headers: { ...POST_HEADERS, ...ANN, "mcp-session-id": session } });
  await ended;
  const next = await listeningSession(url, ANN);
  expect(next.status).toBe(200);
  await next.stop();
});
