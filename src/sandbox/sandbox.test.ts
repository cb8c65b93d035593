import { expect, onTestFinished, test } from "vitest";
import { emptyPage, eventually, gist, isAlive, keptLog, testCall, testSandbox } from "../../test/support/sandbox-call.ts";
import { ToolError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { hostCommand } from "./host-launch.ts";
import type { Sandbox } from "./sandbox.ts";

/** One sandbox for the tests that leave its hosts as they were. */
async function quietSandbox(): Promise<Sandbox> {
  const sandbox = await testSandbox();
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  return sandbox;
}

function servingPids(sandbox: Sandbox): readonly number[] {
  return sandbox
    .status()
    .hosts.filter(({ role }) => role === "serving")
    .map(({ pid }) => pid);
}

/** Answers nothing, and tells when it was asked and when its signal fired. */
function silentServer(): {
  readonly onHostCall: (method: string, params: JsonValue, signal: AbortSignal) => Promise<JsonValue>;
  readonly asked: Promise<void>;
  readonly aborted: Promise<void>;
} {
  const asked = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const onHostCall = async (_method: string, _params: JsonValue, signal: AbortSignal): Promise<JsonValue> => {
    asked.resolve();
    return await new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve();
        reject(signal.reason);
      });
    });
  };
  return { onHostCall, asked: asked.promise, aborted: aborted.promise };
}

const waits = 'async function main() { return await g.http.makeHttpRequest("http://slow/") }';
const loops = "async function main() { for (;;); }";

test("a script's value, its log, its host calls and its CPU time come back, in both modes", async () => {
  const sandbox = await quietSandbox();
  const source = `async function main() {
    console.log("hello", g.tool.name);
    const response = await g.http.makeHttpRequest("http://loopback/");
    return { keyword: g.tool.args.keyword, status: response.status };
  }`;
  for (const isolation of ["tool", "call"] as const) {
    const seen: unknown[] = [];
    const result = await sandbox.run(
      testCall(source, {
        isolation,
        args: { keyword: "ä" },
        onStart: (remainingMs) => seen.push(["start", remainingMs() > 0 && remainingMs() <= 1_000]),
        onNotice: (name, params) => seen.push([name, params]),
        onHostCall: async (method, params) => {
          seen.push([method, params !== null]);
          return emptyPage;
        },
      }),
    );
    expect(gist(result)).toEqual({ value: { keyword: "ä", status: 200 } });
    expect(result.cpuMs).toBeGreaterThan(0);
    expect(seen).toEqual([
      ["start", true],
      ["log.write", { level: "info", text: "hello probe" }],
      ["http.makeHttpRequest", true],
    ]);
  }
});

test("an error of a host call keeps its code, and one the script invents does not", async () => {
  const sandbox = await quietSandbox();
  const refuse = async (): Promise<JsonValue> => {
    throw new ToolError("HOST_NOT_ALLOWED", "Not that host.");
  };
  expect(gist(await sandbox.run(testCall(waits, { onHostCall: refuse })))).toEqual({ code: "HOST_NOT_ALLOWED" });
  const invents = "async function main() { throw Object.assign(new Error('x'), { code: 'VAULT_TAMPERED' }) }";
  expect(gist(await sandbox.run(testCall(invents)))).toEqual({ code: "SCRIPT_ERROR" });
});

test("an error that is no ToolError, or only for the operator, reaches the script without its text", async () => {
  const sandbox = await quietSandbox();
  const source = `async function main() { try { await g.http.makeHttpRequest("http://slow/") } catch (error) { return [error.code, error.message] } }`;
  for (const failure of [new Error("s3cret"), new ToolError("STORE_ERROR", "s3cret", { audience: "operator" })]) {
    const onHostCall = async (): Promise<JsonValue> => {
      throw failure;
    };
    const result = await sandbox.run(testCall(source, { onHostCall }));
    expect(result.kind).toBe("value");
    expect(JSON.stringify(result)).not.toContain("s3cret");
  }
});

test("a script of another memory size runs, and one that does not load says where", async () => {
  const sandbox = await quietSandbox();
  for (const isolation of ["tool", "call"] as const) {
    expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { isolation, memoryMb: 48 })))).toEqual({ value: 1 });
    const broken = await sandbox.run(testCall("async function main() {\n  let x = ; }", { isolation }));
    if (broken.kind !== "error") throw new Error("no error");
    expect([broken.error.code, broken.error.data]).toEqual(["SCRIPT_ERROR", { file: "scripts/probe.js", line: 2, column: 11 }]);
  }
});

test("a call that waits for a request ends at its limit, its request is aborted, and its host stays in service", async () => {
  const sandbox = await quietSandbox();
  await sandbox.run(testCall("async function main() {}"));
  const before = servingPids(sandbox);
  const { onHostCall, aborted } = silentServer();
  const startedMs = performance.now();
  const result = await sandbox.run(testCall(waits, { onHostCall, timeoutMs: 300 }));
  const elapsedMs = performance.now() - startedMs;
  await aborted;
  expect(elapsedMs).toBeGreaterThanOrEqual(299);
  expect(elapsedMs).toBeLessThan(1_300);
  if (result.kind !== "error") throw new Error("no error");
  expect(result.error.code).toBe("TIMEOUT");
  expect(result.error.message).toBe(
    'Tool "probe" ran past its limit of 300 ms ("timeout" in tools.json; at most 300). It had made 1 host call, 1 still unanswered. Raise the limit, or make the script do less.',
  );
  expect(gist(await sandbox.run(testCall("async function main() { return 1 }")))).toEqual({ value: 1 });
  expect(servingPids(sandbox)).toEqual(before);
});

test("a script that waits past its limit ends there, and its host stays in service", async () => {
  const sandbox = await quietSandbox();
  await sandbox.run(testCall("async function main() {}"));
  const before = servingPids(sandbox);
  expect(gist(await sandbox.run(testCall("async function main() { await g.run.sleep(1e6) }", { timeoutMs: 200 })))).toEqual({
    code: "TIMEOUT",
  });
  expect(gist(await sandbox.run(testCall("async function main() { return 1 }")))).toEqual({ value: 1 });
  expect(servingPids(sandbox)).toEqual(before);
});

test("a cancelled call ends at once with CANCELLED, waiting or computing, and so does one cancelled before", async () => {
  const sandbox = await quietSandbox();
  const controller = new AbortController();
  const { onHostCall, asked, aborted } = silentServer();
  const running = sandbox.run(testCall(waits, { onHostCall, signal: controller.signal, timeoutMs: 60_000 }));
  await asked;
  controller.abort();
  expect(gist(await running)).toEqual({ code: "CANCELLED" });
  await aborted;
  expect(gist(await sandbox.run(testCall(waits, { signal: controller.signal })))).toEqual({ code: "CANCELLED" });
  const second = new AbortController();
  const source = 'async function main() { console.log("on"); for (;;); }';
  const computing = sandbox.run(testCall(source, { signal: second.signal, timeoutMs: 60_000, onNotice: () => second.abort() }));
  expect(gist(await computing)).toEqual({ code: "CANCELLED" });
  expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { timeoutMs: 10_000 })))).toEqual({ value: 1 });
});

test("the clock starts after the queue", async () => {
  const sandbox = await testSandbox({ limits: { concurrentCalls: 1 } });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const { onHostCall, asked } = silentServer();
  const first = sandbox.run(testCall(waits, { tool: "first", onHostCall, timeoutMs: 700 }));
  await asked;
  const second = sandbox.run(testCall("async function main() { return 1 }", { tool: "second", timeoutMs: 500 }));
  expect(gist(await first)).toEqual({ code: "TIMEOUT" });
  expect(gist(await second)).toEqual({ value: 1 });
});

test("200 calls at once with a queue of 200 all succeed; with the default queue each ends with its result or BUSY", async () => {
  const source = "async function main() { return g.tool.args.n }";
  const outcomes = async (queuedCalls: number): Promise<readonly JsonValue[]> => {
    const sandbox = await testSandbox({ limits: { queuedCalls, queueWaitMs: 60_000 } });
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    const calls = Array.from({ length: 200 }, (_, n) =>
      sandbox.run(testCall(source, { args: { n }, tool: `t${n % 7}`, timeoutMs: 30_000 })),
    );
    return (await Promise.all(calls)).map(gist);
  };
  expect(await outcomes(200)).toEqual(Array.from({ length: 200 }, (_, n) => ({ value: n })));
  const wanted = Array.from({ length: 200 }, (_, n) => (n < 80 ? { value: n } : { code: "BUSY" }));
  expect(await outcomes(64)).toEqual(wanted);
});

test("calls of two agents never share a process", async () => {
  const sandbox = await quietSandbox();
  const source = "async function main() { return 1 }";
  await Promise.all(["a", "b"].map((agent) => sandbox.run(testCall(source, { agent, timeoutMs: 10_000 }))));
  const serving = sandbox.status().hosts.filter(({ role }) => role === "serving");
  expect(new Set(serving.map(({ agent }) => agent))).toEqual(new Set(["a", "b"]));
  expect(new Set(serving.map(({ pid }) => pid)).size).toBe(2);
});

test("with two hosts for an agent a tool that costs its host leaves the other half of the tools alone, and later everybody", async () => {
  const { log, events } = keptLog();
  const sandbox = await testSandbox({ hostsPerAgent: 2, log });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const fine = "async function main() { return 1 }";
  const use = async (tool: string): Promise<void> => {
    expect(gist(await sandbox.run(testCall(fine, { tool, timeoutMs: 10_000 })))).toEqual({ value: 1 });
  };
  const loop = async (lost: number): Promise<void> => {
    expect(gist(await sandbox.run(testCall(loops, { tool: "a", timeoutMs: 100 })))).toEqual({ code: "TIMEOUT" });
    await eventually("a host is given up", 1_000, () => events.filter(({ event }) => event === "sandbox.host.lost").length === lost);
  };
  await use("b");
  const [other = 0] = servingPids(sandbox);
  await use("a");
  expect(servingPids(sandbox)).toHaveLength(2);
  await loop(1);
  expect(servingPids(sandbox)).toEqual([other]);
  await use("c");
  const [, same = 0] = servingPids(sandbox);
  await loop(2);
  expect(servingPids(sandbox)).toEqual([other, same]);
});

test("hosts of agents with nothing to do are ended beyond a few", async () => {
  const sandbox = await quietSandbox();
  for (let n = 0; n < 8; n++) {
    expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { agent: `a${n}`, timeoutMs: 10_000 })))).toEqual({
      value: 1,
    });
  }
  await eventually("four serving hosts", 5_000, () => servingPids(sandbox).length === 4);
});

test("a tool that has cost three hosts is BUSY for a minute, other tools and its mended script are not", async () => {
  let nowMs = 0;
  const { log, events } = keptLog();
  const sandbox = await testSandbox({ now: () => nowMs, log });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  for (let n = 0; n < 3; n++) {
    expect(gist(await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 100 })))).toEqual({ code: "TIMEOUT" });
    await eventually("the host is given up", 1_000, () => events.filter(({ event }) => event === "sandbox.host.lost").length === n + 1);
  }
  const refused = await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 100 }));
  if (refused.kind !== "error") throw new Error("no error");
  expect([refused.error.code, refused.error.data]).toEqual(["BUSY", { retryAfterMs: 60_000 }]);
  const fine = "async function main() { return 1 }";
  expect(gist(await sandbox.run(testCall(fine, { tool: "good", timeoutMs: 10_000 })))).toEqual({ value: 1 });
  expect(gist(await sandbox.run(testCall(fine, { tool: "bad", timeoutMs: 10_000 })))).toEqual({ value: 1 });
  nowMs = 60_001;
  expect(gist(await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 100 })))).toEqual({ code: "TIMEOUT" });
});

test("disposing ends calls with CANCELLED and every process, and what comes later is CANCELLED", async () => {
  const sandbox = await testSandbox();
  const { onHostCall, asked } = silentServer();
  const running = sandbox.run(testCall(waits, { onHostCall, timeoutMs: 60_000 }));
  await asked;
  const pids = sandbox.status().hosts.map(({ pid }) => pid);
  await sandbox[Symbol.asyncDispose]();
  expect(gist(await running)).toEqual({ code: "CANCELLED" });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(gist(await sandbox.run(testCall(waits)))).toEqual({ code: "CANCELLED" });
});

test("a host that cannot live is reported at the start, with its reason", async () => {
  const command = { program: process.execPath, args: ["-e", "process.exit(7)"] };
  await expect(testSandbox({ command })).rejects.toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("exit code 7") });
  const missing = { program: "/nonexistent/node", args: [] };
  await expect(testSandbox({ command: missing })).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("when hosts die again and again, calls wait for some attempts and then are told UNAVAILABLE, and work again once hosts live", async () => {
  const { program, args } = hostCommand();
  const current = [...args];
  const sandbox = await testSandbox({ command: { program, args: current } });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  current.splice(0, current.length, "-e", "process.exit(7)");
  expect(gist(await sandbox.run(testCall(loops, { tool: "bad", timeoutMs: 100 })))).toEqual({ code: "TIMEOUT" });
  const told = await sandbox.run(testCall("async function main() { return 1 }", { tool: "good" }));
  if (told.kind !== "error") throw new Error("no error");
  expect(told.error.code).toBe("UNAVAILABLE");
  expect(told.error.message).toContain("exit code 7");
  current.splice(0, current.length, ...args);
  await eventually("a host stands by again", 10_000, () =>
    sandbox.status().hosts.some(({ role, state }) => role === "standby" && state === "serving"),
  );
  expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { tool: "good", timeoutMs: 10_000 })))).toEqual({
    value: 1,
  });
}, 40_000);

test("the web's names work in a sandbox process, in both modes, with randomness and names of hosts from outside of the isolate", async () => {
  const sandbox = await quietSandbox();
  const source = `async function main() {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    return [crypto.randomUUID().length, bytes.some((byte) => byte > 0), new URL("https://b\u00fccher.example/").host, (await fetch("https://a.example/")).status];
  }`;
  for (const isolation of ["tool", "call"] as const) {
    expect(gist(await sandbox.run(testCall(source, { isolation }))), isolation).toEqual({
      value: [36, true, "xn--bcher-kva.example", 200],
    });
  }
});
