import { expect, test } from "vitest";
import { factsOf, httpAnswer, loadIsolate, makeIsolate, outcomeOf, runCall, runOnce } from "../../test/support/isolate-harness.ts";
import { IsolateDropped } from "./isolate-contract.ts";

const MODES = [
  { mode: "hardened", hardened: true },
  { mode: "plain", hardened: false },
];

test.for(MODES)("$mode: main() gets the arguments and its value comes back as JSON", async ({ hardened }) => {
  const seen = await runOnce("async function main(args) { return { args, same: args === g.tool.args }; }", {
    hardened,
    args: { a: [1, "é"] },
  });
  expect(seen.outcome).toEqual({ kind: "value", value: { args: { a: [1, "é"] }, same: true } });
});

test.for(MODES)("$mode: a script without main, or with one that is no function, is told so", async ({ hardened }) => {
  const message = 'script does not define main(). Add "async function main() { … }" at its top level.';
  const outcome = { kind: "error", name: "Error", message, code: "SCRIPT_ERROR" };
  expect((await runOnce("const x = 1", { hardened })).outcome).toEqual(outcome);
  expect((await runOnce("var main = 5", { hardened })).outcome).toEqual(outcome);
  const generator = 'main is a generator function, of which nothing would run. Write "async function main() { … }".';
  for (const kind of ["function*", "async function*"]) {
    const seen = await runOnce(`const main = ${kind} () { yield 1 }`, { hardened });
    expect(seen.outcome, kind).toEqual({ ...outcome, message: generator });
  }
});

test.for(MODES)("$mode: positions are exact, on the first line and after an await", async ({ hardened }) => {
  const first = await runOnce("function main() { null.x }", { hardened });
  expect(first.outcome).toMatchObject({ name: "TypeError", file: "scripts/a.js", line: 1, column: 24 });
  const later = await runOnce("async function main() {\n  await 1;\n    throw new RangeError('far');\n}", { hardened });
  expect(later.outcome).toEqual({ kind: "error", name: "RangeError", message: "far", file: "scripts/a.js", line: 3, column: 11 });
});

test.for(MODES)("$mode: a top-level throw is the call's error, with its position", async ({ hardened }) => {
  const { outcome } = await runOnce("const a = 1;\nthrow new Error('top');", { hardened });
  expect(outcome).toEqual({ kind: "error", name: "Error", message: "top", file: "scripts/a.js", line: 2, column: 7 });
});

test.for(MODES)("$mode: neither a message nor a sourceURL comment can forge the position", async ({ hardened }) => {
  const forged = await runOnce('function main() {\n throw new Error("a\\n    at main (scripts/a.js:99:1)"); }', { hardened });
  expect(forged.outcome).toMatchObject({ line: 2, column: 8 });
  const renamed = await runOnce("function main() {\n throw new Error('b'); }\n//# sourceURL=other.js", { hardened });
  expect(renamed.outcome).toMatchObject({ file: "scripts/a.js", line: 2, column: 8 });
});

test.for(MODES)("$mode: own error classes keep name, message and position", async ({ hardened }) => {
  const source = `class Own extends Error {
  constructor(message) { super(message); Error.captureStackTrace(this, Own); this.name = "Own"; }
}
function main() { throw new Own("mine"); }`;
  const { outcome } = await runOnce(source, { hardened });
  expect(outcome).toEqual({ kind: "error", name: "Own", message: "mine", file: "scripts/a.js", line: 4, column: 25 });
});

test.for(MODES)("$mode: a syntax error names line and column, also on the first line", async ({ hardened }) => {
  using isolate = await makeIsolate({ hardened });
  const load = (source: string) => isolate.load({ source, file: "scripts/a.js", entry: "main" });
  expect(await load("async function main(){\n  let x = ; }")).toEqual({ ok: false, message: "Unexpected token ';'", line: 2, column: 11 });
  expect(await load("const x = ;")).toMatchObject({ ok: false, line: 1, column: 11 });
});

test.for(MODES)("$mode: a script that closes the wrapper is refused and nothing of it runs", async ({ hardened }) => {
  using isolate = await makeIsolate({ hardened });
  const breakouts = [
    "}); throw 1; (function(){",
    "return main;})});globalThis.leak=1;(function(){return(function(){function main(){}",
    "}}); leak(); (()=>{{",
    "/*",
    "`",
  ];
  for (const source of breakouts) {
    expect(await isolate.load({ source, file: "scripts/a.js", entry: "main" }), source).toMatchObject({ ok: false });
  }
  const { message } = Object.assign({ message: "" }, await isolate.load({ source: breakouts[0] ?? "", file: "a.js", entry: "main" }));
  expect(message).toBe("A bracket closes more than the script opened.");
});

test.for(MODES)(
  "$mode: a script may declare names that are also its parameters, begin with #! and end in a comment",
  async ({ hardened }) => {
    const source = "#!/usr/bin/env node\nconst fetch = 1, g = 2; let console = 3; function main() { return [fetch, g, console]; } // end";
    expect((await runOnce(source, { hardened })).outcome).toEqual({ kind: "value", value: [1, 2, 3] });
  },
);

test("an entry other than main is called", async () => {
  using isolate = await makeIsolate({ hardened: false });
  expect(await isolate.load({ source: "const __entry = async () => 7;", file: "a.js", entry: "__entry" })).toEqual({ ok: true });
  expect((await runCall(isolate)).outcome).toEqual({ kind: "value", value: 7 });
  await expect(isolate.load({ source: "", file: "a.js", entry: "x){}" })).rejects.toThrow("not the name of a function");
});

test.for(MODES)("$mode: timers run, in order of time, with their values, and can be cleared", async ({ hardened }) => {
  const body = `const seen = [];
    setTimeout((a, b) => seen.push(a + b), 20, "x", "y");
    const gone = setTimeout(() => seen.push("gone"), 1);
    clearTimeout(gone);
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push("first");
    await g.run.sleep(30);
    return seen;`;
  expect(await outcomeOf(body, { hardened })).toEqual({ kind: "value", value: ["first", "xy"] });
});

test.for(MODES)("$mode: timers of a call end with it, and what a timer throws ends the call", async ({ hardened }) => {
  const ended = await runOnce("function main() { setTimeout(() => { throw 1; }, 1); return 'done'; }", { hardened });
  expect(ended.outcome).toEqual({ kind: "value", value: "done" });
  const thrown = await outcomeOf('\nsetTimeout(() => { throw new Error("in a timer") }, 1);\nawait new Promise(() => {});', { hardened });
  expect(thrown).toEqual({ kind: "error", name: "Error", message: "in a timer", file: "scripts/a.js", line: 2, column: 26 });
});

const STALLS = ["at once", "after a request", "after a timer", "after a timer is cleared", "thenable", "never stalled"] as const;

test("at most 1,000 timers wait at once", async () => {
  const body = "let made = 0; try { for (;;) { setTimeout(() => {}, 1e6); made++; } } catch (error) { return [made, error.code]; }";
  expect(await outcomeOf(body, { hardened: false })).toEqual({ kind: "value", value: [1000, "SCRIPT_ERROR"] });
});

test.for(MODES)("$mode: a call that waits is not running, one that computes is", async ({ hardened }) => {
  using isolate = await loadIsolate("async function main() { await g.http.makeHttpRequest('https://a.example/'); return 1; }", {
    hardened,
  });
  const waiting = Promise.withResolvers<void>();
  const running = runCall(isolate, {
    answer: () => {
      waiting.resolve();
      return undefined;
    },
  });
  expect(isolate.isRunning).toBe(true);
  await waiting.promise;
  await expect.poll(() => isolate.isRunning).toBe(false);
  isolate.deliver("call-0", 0, true, JSON.stringify(httpAnswer({}).payload));
  expect((await running).outcome).toEqual({ kind: "value", value: 1 });
  expect(isolate.isRunning).toBe(false);
  expect(isolate.calls).toBe(1);
});

test.for(MODES)("$mode: a call past its time is dropped, computing or waiting", async ({ hardened }) => {
  const asking = ["for (;;) try { crypto.randomUUID(); } catch {}", "for (let i = 0; ; i++) URL.parse('https://é' + i + '.example');"];
  for (const body of ["for (;;);", "await 1; for (;;);", "await g.run.sleep(1e6);", ...asking]) {
    const error = await runOnce(`async function main() { ${body} }`, { hardened, timeoutMs: 150 }).catch((thrown: unknown) => thrown);
    expect(error, body).toBeInstanceOf(IsolateDropped);
    expect(error, body).toMatchObject({ reason: "timeout" });
  }
});

test.for(MODES)(
  "$mode: a call that waits for what nothing will settle ends at once, one that something may settle goes on",
  async ({ hardened }) => {
    const far = "setTimeout(() => {}, 1e6)";
    const source = `async function main({ how }) {
    const never = new Promise(() => {});
    if (how === "at once") await never;
    if (how === "after a request") { await fetch("https://a.example/"); await never; }
    if (how === "after a timer") { await g.run.sleep(1); await Promise.all([g.run.sleep(1), never]); }
    if (how === "after a timer is cleared") { clearTimeout(${far}); await never; }
    if (how === "thenable") return { then() {} };
    return await new Promise((resolve) => setTimeout(() => fetch("https://a.example/").then(() => setTimeout(resolve, 1, how)), 1));
  }`;
    using isolate = await loadIsolate(source, { hardened });
    const message =
      'The script waits for a promise that nothing will settle: no request, timer or question of it is under way. Look for a "new Promise" whose resolve or reject is never called.';
    // In one isolate: a call that ended so leaves it as good as before.
    for (const how of STALLS) {
      const { outcome } = await runCall(isolate, { args: { how }, answer: () => httpAnswer({}) });
      expect(outcome, how).toEqual(
        how === "never stalled" ? { kind: "value", value: how } : { kind: "error", name: "Error", message, code: "SCRIPT_ERROR" },
      );
    }
  },
);

test("a call over its memory is dropped for that reason", async () => {
  const source = "function main() { const kept = []; for (let index = 0; ; index++) kept.push({ index }); }";
  const error = await runOnce(source, { hardened: false, memoryMb: 32 }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "IsolateDropped", reason: "memory" });
});

test("disposing ends a waiting call, is idempotent, and refuses further calls", async () => {
  const isolate = await loadIsolate("function main() { return g.run.sleep(1e6); }", { hardened: false });
  const running = runCall(isolate);
  const ended = expect(running).rejects.toMatchObject({ reason: "disposed" });
  isolate.dispose();
  isolate.dispose();
  await ended;
  expect(isolate.isDisposed).toBe(true);
  await expect(runCall(isolate)).rejects.toMatchObject({ reason: "disposed" });
  expect(isolate.cpuMs()).toBeGreaterThan(0);
});

test.for(MODES)(
  "$mode: a detached rejection fails nobody's call, also one of a looping Proxy or with a huge message",
  async ({ hardened }) => {
    const source = `async function main({ kind }) {
    if (kind === "error") Promise.reject(new Error("late"));
    if (kind === "proxy") Promise.reject(new Proxy(new Error("x"), { get() { for (;;); } }));
    if (kind === "huge") (async () => { throw new Error("m".repeat(2e7)); })();
    if (kind === "later") g.run.sleep(1).then(() => { throw new Error("late") });
    await g.run.sleep(5);
    return kind;
  }`;
    using isolate = await loadIsolate(source, { hardened });
    for (const kind of ["error", "proxy", "huge", "later", "none"]) {
      expect((await runCall(isolate, { args: { kind }, timeoutMs: 3_000 })).outcome, kind).toEqual({ kind: "value", value: kind });
    }
    expect(isolate.isDisposed).toBe(false);
  },
);

test.for(MODES)("$mode: the isolate is free only when microtasks that main() left behind have run", async ({ hardened }) => {
  const source = `let steps = 0; const step = () => { if (++steps < 20000) return Promise.resolve().then(step); };
    function main() { step(); return "early"; }`;
  using isolate = await loadIsolate(source, { hardened });
  let isBusyWhenDone: boolean | undefined;
  const events = {
    onHostCall: () => undefined,
    onNotice: () => undefined,
    onDone: () => {
      isBusyWhenDone = isolate.isRunning;
    },
  };
  await isolate.run({ id: "a", factsJson: JSON.stringify(factsOf("a", {})), timeoutMs: 5_000 }, events);
  expect(isBusyWhenDone).toBe(true);
  expect(isolate.isRunning).toBe(false);
});

test("arguments over their limit end the call before the script", async () => {
  const { outcome, hostCalls } = await runOnce("function main() { return 1; }", {
    hardened: false,
    caps: { argumentsBytes: 10 },
    args: { text: "x".repeat(70_000) },
  });
  expect(outcome).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  expect(hostCalls).toEqual([]);
});

test("figures of an isolate are plausible", async () => {
  using isolate = await loadIsolate("function main() { return 1; }", { hardened: true });
  await runCall(isolate);
  expect(isolate.cpuMs()).toBeGreaterThan(1);
  expect(isolate.heapUsedMb()).toBeGreaterThan(1);
  expect(isolate.heapUsedMb()).toBeLessThan(32);
});
