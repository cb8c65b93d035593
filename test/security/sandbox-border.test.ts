/** A host that was taken over gains nothing over the server: it cannot crash it, fill it, or speak for another call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { borderCaps, longestLine } from "../../src/sandbox/border.ts";
import { guestCaps } from "../../src/sandbox/guest-caps.ts";
import { eventually, gist, keptLog, testCall, testSandbox } from "../support/sandbox-call.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/sandbox/${name}`, import.meta.url));
const command = { program: process.execPath, args: [fixture("rogue-host.mjs")] };

/** Lines that throw inside Node's IPC channel, in the parent. */
const ipcCrashers = ["garbage", '{"cmd":"NODE_HANDLE_ACK"}'];

const call = (message: object): string => `${JSON.stringify({ callId: "CALL", ...message })}\n`;
const hostCall = (sequence: number): string => call({ kind: "hostCall", sequence, method: "http.makeHttpRequest", params: "{}" });
const done = call({ kind: "done", outcome: '{"kind":"value","json":"1"}', cpuMs: 1 });
const preparing = call({ kind: "preparing" });
const started = call({ kind: "started" });
const free = call({ kind: "free", end: "idle", cpuMs: 1 });
// Low, so that a host sends a line over its bound before it is late with its answer to a ping, also on a busy machine.
const limits = { resultBytes: 200_000, mediaBytes: 100_000, requestBodyBytes: 200_000 };
const inside = guestCaps({ ...defaultLimits(), ...limits });
const caps = borderCaps(inside);

/** What a host sends to a call instead of what it may, and the reason for which the server kills it. */
const breaches: readonly { readonly name: string; readonly lines: readonly string[]; readonly reason: RegExp }[] = [
  ...ipcCrashers.map((line) => ({ name: `the line ${line}`, lines: [`${line}\n`], reason: /line is not JSON|unknown kind/ })),
  { name: "an endless line", lines: ["x".repeat(longestLine(caps) + 1)], reason: /line is too long/ },
  {
    name: "a result over every bound",
    lines: [call({ kind: "done", outcome: "x".repeat(caps.outcomeCharacters + 1), cpuMs: 1 })],
    reason: /over its bound/,
  },
  { name: "an answer for a call it does not have", lines: [done.replace("CALL", "another")], reason: /not inside/ },
  { name: "a host call for a call it does not have", lines: [hostCall(0).replace("CALL", "another")], reason: /not inside/ },
  { name: "the number of a host call twice", lines: [hostCall(0), hostCall(0)], reason: /number of a host call twice/ },
  { name: "numbers that go back", lines: [hostCall(5), hostCall(4)], reason: /number of a host call twice/ },
  {
    name: "more host calls than the limit",
    lines: Array.from({ length: inside.hostCallsPerCall + 1 }, (_, n) => hostCall(n)),
    reason: /more host calls than its limit/,
  },
  {
    name: "parameters that are not JSON",
    lines: [call({ kind: "hostCall", sequence: 0, method: "http.makeHttpRequest", params: "{" })],
    reason: /not JSON/,
  },
  {
    name: "parameters deeper than a guest sends",
    lines: [call({ kind: "hostCall", sequence: 0, method: "http.makeHttpRequest", params: "[".repeat(5_000) + "]".repeat(5_000) })],
    reason: /not JSON/,
  },
  {
    name: "notices without end",
    lines: Array.from({ length: 10_001 }, () => call({ kind: "notice", name: "log.write", params: "{}" })),
    reason: /notices over their limit/,
  },
  { name: "an outcome no guest writes", lines: [call({ kind: "done", outcome: '{"kind":"value"}', cpuMs: 1 })], reason: /no guest writes/ },
  { name: "its isolate free without an answer", lines: [free], reason: /free without an answer/ },
  // Nothing answered a call that ended so: its caller waited for ever.
  {
    name: "its isolate busy at a stop that nobody asked for",
    lines: [call({ kind: "free", end: "busy", cpuMs: 1 })],
    reason: /nobody asked for/,
  },
  // Each preparation sets the call's clock back.
  { name: "a preparation again", lines: [preparing, started, preparing], reason: /prepares twice/ },
  { name: "a host call while the call's clock stands still", lines: [preparing, hostCall(0)], reason: /before its start/ },
  {
    name: "an outcome with a name that no guest writes",
    lines: [call({ kind: "done", outcome: '{"kind":"value","json":"1","more":1}', cpuMs: 1 })],
    reason: /no guest writes/,
  },
  { name: "a start that was not announced", lines: [call({ kind: "started" })], reason: /starts twice/ },
  { name: "a preparation in the middle", lines: [hostCall(0), call({ kind: "preparing" })], reason: /prepares twice/ },
  { name: "readiness again", lines: ['{"kind":"ready"}\n'], reason: /ready twice/ },
  { name: "an answer to no ping", lines: ['{"kind":"pong","count":77,"rssMb":1,"cpuMs":1}\n'], reason: /answer to no ping/ },
];

test("on Node's own IPC channel one line from the child ends the parent, which is why the server has a pipe of its own", async () => {
  for (const line of ipcCrashers) {
    const parent = spawn(process.execPath, [fixture("ipc-parent.mjs"), line], { stdio: "ignore" });
    expect(await once(parent, "exit"), line).not.toEqual([0, null]);
  }
  const harmless = spawn(process.execPath, [fixture("ipc-parent.mjs"), "{}"], { stdio: "ignore" });
  expect(await once(harmless, "exit")).toEqual([0, null]);
});

test("a host that keeps to the protocol is believed, which shows that the stand-in works", async () => {
  await using sandbox = await testSandbox({ command });
  expect(gist(await sandbox.run(testCall(JSON.stringify([hostCall(0), done, free]))))).toEqual({ value: 1 });
});

test.each(breaches)("a host that sends $name is killed, and its call ends with SANDBOX_CRASHED", async ({ lines, reason }) => {
  const { log, events } = keptLog();
  await using sandbox = await testSandbox({ command, log, limits });
  const onHostCall = (): Promise<JsonValue> => new Promise(() => undefined);
  const result = await sandbox.run(testCall(JSON.stringify(lines), { onHostCall, timeoutMs: 10_000 }));
  expect(gist(result)).toEqual({ code: "SANDBOX_CRASHED" });
  const lost = events.find(({ event }) => event === "sandbox.host.lost");
  expect(String(lost?.fields.reason)).toMatch(reason);
});

test.each([
  { name: "a second outcome", lines: [done, done] },
  { name: "a host call", lines: [done, hostCall(0)] },
  { name: "a preparation", lines: [done, preparing] },
  { name: "a log line", lines: [done, call({ kind: "notice", name: "log.write", params: "{}" })] },
  { name: "anything after its isolate was free", lines: [done, free, free] },
])("a host that sends $name after the end of a call is killed, and nothing of it reaches the call", async ({ lines }) => {
  const { log, events } = keptLog();
  const lost = Promise.withResolvers<void>();
  const warn = (event: string, fields = {}): void => {
    log.warn(event, fields);
    if (event === "sandbox.host.lost") lost.resolve();
  };
  await using sandbox = await testSandbox({ command, log: { ...log, warn } });
  const heard: string[] = [];
  const onHostCall = async (method: string): Promise<JsonValue> => {
    heard.push(method);
    return null;
  };
  const result = await sandbox.run(
    testCall(JSON.stringify(lines), { onHostCall, onNotice: (name) => heard.push(name), timeoutMs: 10_000 }),
  );
  await lost.promise;
  expect(gist(result)).toEqual({ value: 1 });
  expect(heard).toEqual([]);
  expect(events.some(({ event }) => event === "sandbox.host.lost")).toBe(true);
});

test.runIf(process.platform === "linux")("a host that computes with no call inside is killed, whatever it says", async () => {
  const { log, events } = keptLog();
  await using sandbox = await testSandbox({ command, log });
  expect(gist(await sandbox.run(testCall(JSON.stringify(["BURN", done, free]))))).toEqual({ value: 1 });
  const isLost = (): boolean =>
    events.some(({ event, fields }) => event === "sandbox.host.lost" && fields.reason === "computed with nothing to do");
  await eventually("the host is given up", 8_000, isLost);
});
