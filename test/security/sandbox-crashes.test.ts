/** Whatever happens to a sandbox host, the server lives, the caller gets one clear error, and the next call works. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, onTestFinished, test } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import { readProcessFigures } from "../../src/sandbox/process-figures.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/sandbox.ts";
import type { SandboxResult } from "../../src/sandbox/sandbox-call.ts";
import { type CallWishes, eventually, gist, isAlive, isIdle, keptLog, testCall, testSandbox } from "../support/sandbox-call.ts";

const fine = "async function main() { return 1 }";
const waits = 'async function main() { return await g.http.makeHttpRequest("http://slow/") }';
const loops = "async function main() { for (;;); }";

async function openSandbox(options: Partial<Omit<SandboxOptions, "limits">> = {}): Promise<Sandbox> {
  const sandbox = await testSandbox(options);
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  return sandbox;
}

/** A call that is inside its host and waits there until it is ended; `pid` is the host's. */
async function callInside(
  sandbox: Sandbox,
  wishes: CallWishes = {},
): Promise<{ readonly pid: number; readonly result: Promise<SandboxResult> }> {
  const inside = Promise.withResolvers<void>();
  const onHostCall = (): Promise<JsonValue> => {
    inside.resolve();
    return new Promise(() => undefined);
  };
  const result = sandbox.run(testCall(waits, { timeoutMs: 30_000, onHostCall, ...wishes }));
  await inside.promise;
  const host = sandbox.status().hosts.find(({ callsInside }) => callsInside > 0);
  if (host === undefined) throw new Error("No host has a call inside.");
  return { pid: host.pid, result };
}

async function expectNextCallToWork(sandbox: Sandbox): Promise<void> {
  expect(gist(await sandbox.run(testCall(fine, { tool: "next", timeoutMs: 10_000 })))).toEqual({ value: 1 });
}

test("a script that V8 cannot survive kills a process that runs it itself, but here only its own call", async () => {
  const source = readFileSync(new URL("../hostile/18-mem-array-copy.js", import.meta.url), "utf8");
  const library = JSON.stringify(createRequire(import.meta.url).resolve("isolated-vm"));
  const unguarded = `
    const ivm = require(${library});
    const isolate = new ivm.Isolate({ memoryLimit: 64 });
    const script = isolate.compileScriptSync(${JSON.stringify(`${source};main()`)});
    script.run(isolate.createContextSync(), { promise: true }).catch(() => undefined).then(() => process.exit(0));`;
  const child = spawn(process.execPath, ["--no-node-snapshot", "-e", unguarded], { stdio: "ignore" });
  const [code] = await once(child, "exit");
  expect(code).not.toBe(0);
  const sandbox = await openSandbox();
  expect(gist(await sandbox.run(testCall(source, { timeoutMs: 20_000 })))).toEqual({ code: "OUT_OF_MEMORY" });
  await expectNextCallToWork(sandbox);
});

test.each(["SIGSEGV", "SIGABRT", "SIGKILL", "SIGTERM"] as const)(
  "a host that dies of %s ends the call inside with SANDBOX_CRASHED at once, and the next call works",
  async (signal) => {
    const sandbox = await openSandbox();
    const { pid, result } = await callInside(sandbox);
    const startedMs = performance.now();
    process.kill(pid, signal);
    expect(gist(await result)).toEqual({ code: "SANDBOX_CRASHED" });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    await expectNextCallToWork(sandbox);
  },
);

test("a host that stands still is killed after its missed ping, and the next call works", async () => {
  const sandbox = await openSandbox();
  const { pid, result } = await callInside(sandbox);
  const startedMs = performance.now();
  process.kill(pid, "SIGSTOP");
  expect(gist(await result)).toEqual({ code: "SANDBOX_CRASHED" });
  expect(performance.now() - startedMs).toBeLessThan(4_000);
  await eventually("the host is gone", 2_000, () => !isAlive(pid));
  await expectNextCallToWork(sandbox);
});

test("the time limit holds although the host stands still", async () => {
  const sandbox = await openSandbox();
  const { pid, result } = await callInside(sandbox, { timeoutMs: 700 });
  const startedMs = performance.now();
  process.kill(pid, "SIGSTOP");
  expect(gist(await result)).toEqual({ code: "TIMEOUT" });
  expect(performance.now() - startedMs).toBeLessThan(1_700);
  await eventually("the host is gone", 4_000, () => !isAlive(pid));
  await expectNextCallToWork(sandbox);
});

test("a standby that dies is replaced before it is needed", async () => {
  const sandbox = await openSandbox();
  await expectNextCallToWork(sandbox);
  const standby = (): number | undefined =>
    sandbox.status().hosts.find(({ role, state }) => role === "standby" && state === "serving")?.pid;
  await eventually("a standby is ready", 5_000, () => standby() !== undefined);
  const before = standby();
  process.kill(before ?? 0, "SIGKILL");
  await eventually("another standby is ready", 5_000, () => standby() !== undefined && standby() !== before);
  await expectNextCallToWork(sandbox);
});

test("a call of another tool inside a host that must go gets the time to end", async () => {
  const sandbox = await openSandbox();
  const answer = Promise.withResolvers<JsonValue>();
  const inside = Promise.withResolvers<void>();
  const onHostCall = (): Promise<JsonValue> => {
    inside.resolve();
    return answer.promise;
  };
  const source = 'async function main() { const response = await g.http.makeHttpRequest("http://x/"); return response.status }';
  const slow = sandbox.run(testCall(source, { tool: "slow", timeoutMs: 20_000, onHostCall }));
  await inside.promise;
  const pid = sandbox.status().hosts.find(({ role }) => role === "serving")?.pid ?? 0;
  expect(gist(await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 100 })))).toEqual({ code: "TIMEOUT" });
  await expectNextCallToWork(sandbox);
  expect(sandbox.status().hosts.find(({ role }) => role === "serving")?.pid).not.toBe(pid);
  answer.resolve({
    status: 204,
    statusText: "",
    headers: {},
    setCookie: [],
    bodyBase64: "",
    bodyText: "",
    url: "http://x/",
    redirected: false,
  });
  expect(gist(await slow)).toEqual({ value: 204 });
  await eventually("the host is gone once it is empty", 2_000, () => !isAlive(pid));
});

test("a call still inside 5 s after its host had to go ends with SANDBOX_CRASHED, and the host is gone", async () => {
  const sandbox = await openSandbox();
  const { pid, result } = await callInside(sandbox, { tool: "slow" });
  const startedMs = performance.now();
  expect(gist(await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 100 })))).toEqual({ code: "TIMEOUT" });
  expect(gist(await result)).toEqual({ code: "SANDBOX_CRASHED" });
  const elapsedMs = performance.now() - startedMs;
  expect(elapsedMs).toBeGreaterThan(4_900);
  expect(elapsedMs).toBeLessThan(7_000);
  await eventually("the host is gone", 2_000, () => !isAlive(pid));
});

test("a host over the memory ceiling is killed and its only tool ends with OUT_OF_MEMORY; its memory is given back", async () => {
  const sandbox = await openSandbox();
  const source = readFileSync(new URL("../hostile/19-mem-array-length.js", import.meta.url), "utf8");
  const call = sandbox.run(testCall(source, { timeoutMs: 50_000 }));
  await eventually("the call is inside", 2_000, () => sandbox.status().hosts.some(({ callsInside }) => callsInside > 0));
  const pid = sandbox.status().hosts.find(({ callsInside }) => callsInside > 0)?.pid ?? 0;
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, readProcessFigures(pid)?.rssMb ?? 0);
  }, 20);
  expect(gist(await call)).toEqual({ code: "OUT_OF_MEMORY" });
  clearInterval(watch);
  expect(peakMb).toBeGreaterThan(1_000);
  expect(peakMb).toBeLessThan(1_700);
  await eventually("the host is gone", 2_000, () => !isAlive(pid));
  await expectNextCallToWork(sandbox);
});

test.each([
  { what: "arrays", grow: "all.push(new Array(1e6).fill(all.length))" },
  { what: "strings", grow: "all.push((all.length + 'x').repeat(1e6).split('').reverse().join(''))" },
  { what: "ArrayBuffers", grow: "all.push(new Uint8Array(16 << 20).fill(1))" },
  { what: "BigInts", grow: "all.push(2n ** BigInt(8e6 + all.length))" },
  { what: "maps", grow: "all.push(new Map(Array.from({ length: 1e5 }, (_, n) => [n, { n }])))" },
])("2 GB of $what end with OUT_OF_MEMORY, the server's memory stays, and the next call works", async ({ grow }) => {
  for (const isolation of ["tool", "call"] as const) {
    const sandbox = await openSandbox();
    const before = process.memoryUsage().rss;
    const source = `async function main() { const all = []; while (all.length < 100000) { ${grow} } return all.length }`;
    const result = await sandbox.run(testCall(source, { isolation, timeoutMs: 20_000 }));
    expect(gist(result)).toEqual({ code: "OUT_OF_MEMORY" });
    expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(200);
    await expectNextCallToWork(sandbox);
  }
});

test("one tool that computes past its limit again and again never fails another tool's calls", async () => {
  const { log, events } = keptLog();
  const sandbox = await openSandbox({ log });
  const startedMs = performance.now();
  const attack = async (): Promise<readonly JsonValue[]> => {
    const outcomes: JsonValue[] = [];
    for (let round = 0; round < 6; round++) outcomes.push(gist(await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 300 }))));
    return outcomes;
  };
  const attacking = attack();
  const others: JsonValue[] = [];
  let isOver = false;
  void attacking.finally(() => {
    isOver = true;
  });
  while (!isOver || others.length < 50) others.push(gist(await sandbox.run(testCall(fine, { tool: "good", timeoutMs: 10_000 }))));
  expect(await attacking).toEqual([...Array(3).fill({ code: "TIMEOUT" }), ...Array(3).fill({ code: "BUSY" })]);
  expect(others).toEqual(others.map(() => ({ value: 1 })));
  expect(events.filter(({ event }) => event === "sandbox.host.lost")).toHaveLength(3);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

test("tools that were inside a host that died of an unknown cause run apart afterwards, so that the next death has one name", async () => {
  const { log, events } = keptLog();
  const sandbox = await openSandbox({ log });
  const first = await callInside(sandbox, { tool: "a" });
  const second = await callInside(sandbox, { tool: "b" });
  process.kill(first.pid, "SIGSEGV");
  expect([gist(await first.result), gist(await second.result)]).toEqual([{ code: "SANDBOX_CRASHED" }, { code: "SANDBOX_CRASHED" }]);
  expect(events.at(-1)).toMatchObject({ event: "sandbox.host.lost", fields: { suspects: ["a", "b"] } });
  const again = await callInside(sandbox, { tool: "a" });
  const apart = sandbox.run(testCall(fine, { tool: "b", timeoutMs: 10_000 }));
  expect(gist(await apart)).toEqual({ value: 1 });
  process.kill(again.pid, "SIGSEGV");
  expect(gist(await again.result)).toEqual({ code: "SANDBOX_CRASHED" });
  expect(events.at(-1)).toMatchObject({ event: "sandbox.host.lost", fields: { tool: "a", suspects: [] } });
});

test("a script that computes after its answer loses its host, and the processor is free again", async () => {
  const { log, events } = keptLog();
  const sandbox = await openSandbox({ log });
  const source =
    "async function main() { Promise.resolve().then(async () => { await null; await null; await null; await null; for (;;); }); return 1 }";
  const result = await sandbox.run(testCall(source, { timeoutMs: 5_000 }));
  expect(gist(result)).toEqual({ value: 1 });
  await eventually("its host is given up", 2_000, () => events.some(({ event }) => event === "sandbox.host.lost"));
  await expectNextCallToWork(sandbox);
  for (const { pid } of sandbox.status().hosts) await eventually(`host ${pid} is idle or gone`, 6_000, isIdle(pid));
});
