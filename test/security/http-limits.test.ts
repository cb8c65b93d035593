// One client of many must not keep the server busy for the others: requests are counted by token, and so are calls.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { defaultLimits, type Limits } from "../../src/core/limits.ts";
import type { Log, LogFields } from "../../src/core/log.ts";
import type { HttpOptions } from "../../src/server/http.ts";
import { echo, testEngine } from "../support/mcp-engine.ts";
import {
  legacyMessage,
  modernHeaders,
  modernMessage,
  openSession,
  POST_HEADERS,
  post,
  startTestHttp,
  TEST_TOKEN,
} from "../support/mcp-http.ts";
import { rawExchange, rawRequest, readAnswer } from "../support/raw-http.ts";

const engine = testEngine([echo], ["default", "other"]);

/** `a1` and `a2` are two tokens of one agent. */
const AGENTS: Readonly<Record<string, string>> = { [TEST_TOKEN]: "default", a1: "default", a2: "default", b: "other" };

function auth(): HttpOptions["auth"] {
  return {
    kind: "token",
    verify: (token) => {
      const agent = Object.hasOwn(AGENTS, token) ? AGENTS[token] : undefined;
      return agent === undefined ? undefined : { agent };
    },
  };
}

/** Small, so that few requests reach them. */
const LIMITS = { httpRequestsPerSecond: 20, httpRequestBurst: 40 };

/** A server whose clock stands still until it is moved. */
async function startClocked(limits: Partial<Limits> = {}, options: Partial<HttpOptions> = {}) {
  let nowMs = 0;
  const events: string[] = [];
  const keep = (event: string, fields?: LogFields): void => void events.push(JSON.stringify({ event, ...fields }));
  const log: Log = { debug: () => undefined, info: keep, warn: keep, error: keep };
  const server = await startTestHttp(engine, {
    auth: auth(),
    log,
    limits: () => ({ ...defaultLimits(), ...LIMITS, ...limits }),
    now: () => nowMs,
    ...options,
  });
  return {
    server,
    events,
    pass: (ms: number): void => {
      nowMs += ms;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const ping = (url: string, token?: string) =>
  post(url, modernMessage("server/discover"), {
    ...modernHeaders("server/discover"),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });

/**
 * How many of so many requests in one go are taken, and how many refused. What is sent is refused for its type (415) right
 * after it was counted, which costs next to nothing.
 */
async function burst(port: number, count: number, token: string = TEST_TOKEN): Promise<Readonly<Record<number, number>>> {
  const request = (more: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n${more}\r\n`;
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(request("").repeat(count - 1) + request("Connection: close\r\n"));
  const { text } = await readAnswer(socket);
  const counts: Record<number, number> = {};
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) counts[Number(status)] = (counts[Number(status)] ?? 0) + 1;
  return counts;
}

test("without a limit a client is answered as often as it asks; with it 40 at once, and then 429 with the time to wait", async () => {
  await using open = await startClocked({ httpRequestsPerSecond: 1_000_000, httpRequestBurst: 1_000_000 });
  expect(await burst(open.server.port, 60)).toEqual({ 415: 60 });
  await using limited = await startClocked();
  const { url, port } = limited.server;
  expect(await burst(port, 60)).toEqual({ 415: 40, 429: 20 });
  const refused = await ping(url);
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    429,
    "1",
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32_000,
        message:
          'Too many requests with this token: this server takes 40 at once ("httpRequestBurst") and 20 a second ("httpRequestsPerSecond"). Try again in 1 s.',
      },
    },
  ]);
  limited.pass(1_000);
  expect(await burst(port, 30)).toEqual({ 415: 20, 429: 10 });
});

test("Retry-After is the time after which a request is taken", async () => {
  await using limited = await startClocked({ httpRequestsPerSecond: 1, httpRequestBurst: 1 });
  const { url } = limited.server;
  const answer = async (): Promise<readonly (number | string | null)[]> => {
    const response = await ping(url);
    await response.arrayBuffer();
    return [response.status, response.headers.get("retry-after")];
  };
  expect([await answer(), await answer()]).toEqual([
    [200, null],
    [429, "1"],
  ]);
  limited.pass(999);
  expect(await answer()).toEqual([429, "1"]);
  limited.pass(1);
  expect(await answer()).toEqual([200, null]);
});

test("a token that is over its limit takes nothing from another, also not from one of the same agent", async () => {
  await using limited = await startClocked();
  const { port } = limited.server;
  expect(await burst(port, 50, "a1")).toEqual({ 415: 40, 429: 10 });
  expect(await burst(port, 50, "a2")).toEqual({ 415: 40, 429: 10 });
  expect(await burst(port, 50, "b")).toEqual({ 415: 40, 429: 10 });
});

test("wrong tokens get 429 too in the end, one line of log tells of them, and no right token is locked out by them", async () => {
  await using limited = await startClocked();
  const { port } = limited.server;
  expect(await burst(port, 30, "wrong")).toEqual({ 401: 30 });
  expect(await burst(port, 30, "wrong-too")).toEqual({ 401: 10, 429: 20 });
  expect(limited.events.filter((event) => event.includes('"reason":"rate"'))).toEqual([
    '{"event":"http.refused","status":429,"reason":"rate"}',
  ]);
  expect(await burst(port, 40, "a1")).toEqual({ 415: 40 });
  limited.pass(50);
  expect(await burst(port, 1, "wrong")).toEqual({ 401: 1 });
});

test("without tokens all clients of the machine share one allowance", async () => {
  await using limited = await startClocked({}, { auth: { kind: "none" } });
  expect(await burst(limited.server.port, 25, "a")).toEqual({ 415: 25 });
  expect(await burst(limited.server.port, 25, "b")).toEqual({ 415: 15, 429: 10 });
});

test("requests of sessions and listening streams count one by one, and what is open stays open", async () => {
  await using limited = await startClocked({ httpRequestBurst: 6 });
  const { url } = limited.server;
  const session = await openSession(url); // two requests
  const named = { ...POST_HEADERS, "mcp-session-id": session };
  const listening = new AbortController();
  const stream = await fetch(url, { headers: named, signal: listening.signal });
  const call = async (): Promise<number> => {
    const response = await post(url, legacyMessage("tools/call", { name: "echo", arguments: { text: "x" } }), named);
    await response.arrayBuffer();
    return response.status;
  };
  expect([stream.status, await call(), await call(), await call(), await call()]).toEqual([200, 200, 200, 200, 429]);
  const second = await fetch(url, { headers: named });
  expect(second.status).toBe(429);
  await second.arrayBuffer();
  // The stream that was opened in time is not ended by what came after it.
  const ended = stream.text().then(
    () => "ended",
    () => "cut by its client",
  );
  listening.abort();
  expect(await ended).toBe("cut by its client");
});

test("a request over the limit is refused before its body is read, and before its size is judged", async () => {
  await using limited = await startClocked({ httpRequestsPerSecond: 1, httpRequestBurst: 1 });
  const { port } = limited.server;
  expect(await burst(port, 1)).toEqual({ 415: 1 });
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TEST_TOKEN}\r\nContent-Type: text/plain\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n`,
  );
  const [first] = await once(socket, "data");
  expect(String(first).split("\r\n")[0]).toBe("HTTP/1.1 429 Too Many Requests");
  socket.destroy();
});

test("an answer of 429 carries the headers that a web page needs to read it", async () => {
  await using limited = await startClocked({ httpRequestsPerSecond: 1, httpRequestBurst: 1 });
  const { url, port } = limited.server;
  await burst(port, 1);
  const response = await post(url, modernMessage("server/discover"), {
    ...modernHeaders("server/discover"),
    origin: "http://localhost:6274",
  });
  await response.arrayBuffer();
  expect([
    response.status,
    response.headers.get("access-control-allow-origin"),
    response.headers.get("access-control-expose-headers")?.includes("Retry-After"),
  ]).toEqual([429, "http://localhost:6274", true]);
});

test("a limit that the workspace lowers while it is served counts from the next request on", async () => {
  const limits = { ...defaultLimits() };
  await using limited = await startClocked({}, { limits: () => limits });
  expect(await burst(limited.server.port, 1)).toEqual({ 415: 1 });
  limits.httpRequestBurst = 3;
  limited.pass(60_000);
  expect(await burst(limited.server.port, 5)).toEqual({ 415: 3, 429: 2 });
});

test("one connection carries 1,000 requests, and the client is told so", async () => {
  await using limited = await startClocked();
  const response = await fetch(new URL("/healthz", limited.server.url));
  expect([await response.text(), response.headers.get("keep-alive")]).toEqual(["ok\n", "timeout=5, max=1000"]);
});

test("the log says what a request was refused for, and nothing of what it held", async () => {
  await using limited = await startClocked();
  const { port } = limited.server;
  const send = (line: string, headers: readonly (readonly [string, string])[], body = "") =>
    rawExchange(port, rawRequest(line, headers, body));
  const host = ["Host", "localhost"] as const;
  const token = ["Authorization", `Bearer ${TEST_TOKEN}`] as const;
  const json = ["Content-Type", "application/json"] as const;
  await send("POST /mcp HTTP/1.1", [host, ["Mcp-Method", "canary"], ["Mcp-Method", "canary"]]);
  await send("GET /mcp HTTP/1.1", [["Host", "canary.example"]]);
  await send("GET /mcp HTTP/1.1", [host, ["Origin", "http://canary.example"]]);
  await send("GET /canary HTTP/1.1", [host]);
  await send("PUT /mcp HTTP/1.1", [host]);
  await send("GET /mcp HTTP/1.1", [host, ["Authorization", "Bearer canary"]]);
  await send("POST /mcp HTTP/1.1", [host, token, json, ["Content-Length", "99999999"]]);
  await send("POST /mcp HTTP/1.1", [host, token, ["Content-Type", "text/canary"]], "{}");
  expect(limited.events).toEqual(
    [
      [400, "form"],
      [403, "host"],
      [403, "origin"],
      [404, "path"],
      [405, "method"],
      [401, "token"],
      [413, "size"],
      [415, "type"],
    ].map(([status, reason]) => JSON.stringify({ event: "http.refused", status, reason })),
  );
});

test("257 connections at once are one too many, and when one of them ends another is taken", async () => {
  await using server = await startTestHttp(testEngine([echo]));
  const open = async (): Promise<Socket> => {
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: 256 }, open));
  const dropped = (await open()).on("error", () => undefined);
  await once(dropped, "close");
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
  const ended = sockets[0];
  ended?.end();
  if (ended !== undefined) await once(ended.resume(), "close");
  const taken = await open();
  taken.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect((await readAnswer(taken)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});
