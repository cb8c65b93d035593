import { expect, test } from "vitest";
import { CAPS, httpAnswer, loadIsolate, outcomeOf, runCall, runOnce } from "../../../test/support/isolate-harness.ts";

const MODES = [
  { mode: "hardened", hardened: true },
  { mode: "plain", hardened: false },
];

test.for(MODES)("$mode: what is thrown and is no error is told as text", async ({ hardened }) => {
  const thrown = async (expression: string) => await outcomeOf(`throw ${expression};`, { hardened });
  expect(await thrown("{ toString() { return 'odd'; } }")).toEqual({ kind: "error", name: "", message: "odd" });
  expect(await thrown("'plain text'")).toEqual({ kind: "error", name: "", message: "plain text" });
  expect(await thrown("undefined")).toEqual({ kind: "error", name: "", message: "undefined" });
  expect(await thrown("Symbol('s')")).toEqual({ kind: "error", name: "", message: "Symbol(s)" });
  expect(await thrown("{ status: 500, body: [1] }")).toEqual({ kind: "error", name: "", message: '{"status":500,"body":[1]}' });
  expect(await thrown("Object.create(null)")).toEqual({ kind: "error", name: "", message: "{}" });
  expect(await thrown("new Proxy({}, { get() { throw 1; } })")).toMatchObject({ kind: "error", name: "" });
  expect(await thrown("new Proxy(new Error('x'), { get() { throw 1; }, ownKeys() { throw 1; } })")).toMatchObject({ kind: "error" });
});

test.for(MODES)(
  "$mode: an error is told with its causes and the errors it gathers, bounded, and so is one in the log",
  async ({ hardened }) => {
    const told = async (body: string): Promise<unknown> => (await outcomeOf(body, { hardened }))?.message;
    const inner = "new TypeError('inner', { cause: { status: 502 } })";
    expect(await told(`throw new Error("outer", { cause: ${inner} });`)).toBe('outer [cause: TypeError: inner [cause: {"status":502}]]');
    expect(await told("await Promise.any([Promise.reject(new Error('a')), Promise.reject('b')]);")).toBe(
      'All promises were rejected [errors: Error: a, "b"]',
    );
    const circle = "const a = new Error('a'); a.cause = new Error('b', { cause: a }); throw a;";
    expect(await told(circle)).toBe("a [cause: Error: b [cause: [Circular]]]");
    const chain = "let e; for (let i = 0; i < 100; i++) e = new Error(String(i), { cause: e }); throw e;";
    expect(await told(chain)).toBe("99 [cause: Error: 98 [cause: Error: 97 [cause: Error: 96 [cause: Error: 95]]]]");
    const many = "throw new AggregateError(Array.from({ length: 1000 }, () => new Error('x'.repeat(1000))), 'all');";
    expect(String(await told(many)).length).toBeLessThanOrEqual(CAPS.messageCharacters);
    const getter = "const e = new Error('a'); Object.defineProperty(e, 'cause', { get() { for (;;); } }); throw e;";
    expect(await told(getter)).toBe("a");
    const lines = await runOnce(`function main() { console.error("failed:", new Error("outer", { cause: ${inner} })); }`, { hardened });
    expect(lines.notices[0]?.params.text).toBe('failed: Error: outer [cause: TypeError: inner [cause: {"status":502}]]');
  },
);

test.for(MODES)("$mode: messages are cut and well formed", async ({ hardened }) => {
  const outcome = await outcomeOf("throw new Error('m'.repeat(2e7) + '\\ud800');", { hardened });
  expect(outcome?.message).toBe(`${"m".repeat(4_095)}…`);
  expect(await outcomeOf("throw new Error('a\\ud800');", { hardened })).toMatchObject({ message: "a\ufffd" });
});

test.for(MODES)("$mode: an error of a host call carries code and position, and its code survives to the outcome", async ({ hardened }) => {
  const answer = () => ({ ok: false, payload: { code: "SECRET_HOST", message: "not bound" } });
  const uncaught = await runOnce("async function main() {\n  await g.http.makeHttpRequest('https://a.example/');\n}", { hardened, answer });
  const place = { file: "scripts/a.js", line: 2, column: 16 };
  expect(uncaught.outcome).toEqual({ kind: "error", name: "Error", message: "not bound", code: "SECRET_HOST", ...place });
  const body = `try { await fetch('https://a.example/'); } catch (error) {
    return [error instanceof Error, error.name, error.message, error.code, error.stack.includes("scripts/a.js:1")]; }`;
  expect(await outcomeOf(body, { hardened, answer })).toEqual({
    kind: "value",
    value: [true, "TypeError", "not bound", "SECRET_HOST", true],
  });
});

test.for(MODES)("$mode: a code that a script writes does not reach the outcome", async ({ hardened }) => {
  const forged = await outcomeOf("throw Object.assign(new Error('x'), { code: 'TIMEOUT' });", { hardened });
  expect(forged).toEqual({ kind: "error", name: "Error", message: "x", file: "scripts/a.js", line: 1, column: 49 });
  const changed = "try { g.secrets.getSecret('A'); } catch (error) { error.code = 'TIMEOUT'; throw error; }";
  expect(await outcomeOf(changed, { hardened })).toMatchObject({ code: "SECRET_ACCESS_DENIED" });
});

test.for(MODES)("$mode: g.result.fail ends the call as failed, returned or thrown", async ({ hardened }) => {
  expect(await outcomeOf("return g.result.fail('no such city');", { hardened })).toEqual({ kind: "failed", message: "no such city" });
  expect(await outcomeOf("throw g.result.fail('no such city');", { hardened })).toEqual({ kind: "failed", message: "no such city" });
  expect(await outcomeOf("return g.result.fail({ a: 1 });", { hardened })).toEqual({ kind: "failed", message: '{"a":1}' });
  expect(await outcomeOf("return { failed: 'x' };", { hardened })).toEqual({ kind: "value", value: { failed: "x" } });
});

test.for(MODES)("$mode: the host call after the last allowed one is refused without reaching the host", async ({ hardened }) => {
  const body = `const all = await Promise.allSettled(Array.from({ length: 2000 }, (_, i) => fetch("https://a.example/" + i)));
    return [all.filter((one) => one.status === "fulfilled").length, all[50].reason.code];`;
  const seen = await runOnce(`async function main() { ${body} }`, { hardened, answer: () => httpAnswer({}) });
  expect(seen.outcome).toEqual({ kind: "value", value: [50, "TOO_MANY_REQUESTS"] });
  expect(seen.hostCalls.length).toBe(50);
});

test.for(MODES)("$mode: the log is cut once, with one line saying so", async ({ hardened }) => {
  const seen = await runOnce("function main() { for (let i = 0; i < 500; i++) console.log('é'.repeat(50)); }", {
    hardened,
    caps: { logBytes: 1_050 },
  });
  const texts = seen.notices.map(({ params }) => String(params.text));
  expect(texts.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "é".repeat(50)));
  expect(texts.slice(10)).toEqual([
    "é".repeat(25),
    'The log of this call is cut here: the limit is 1050 bytes ("logBytes" in "limits") and 2048 lines.',
  ]);
});

test("parameters may be 1,000 levels deep, brackets in texts not counted, and one more never leaves the isolate", async () => {
  const ask = (levels: number) => `async function main() {
    let schema = ["[{\\"]", "\\\\"]; for (let i = 1; i < ${levels}; i++) schema = { "[[": schema };
    await g.ask.elicit('"['.repeat(2000), schema).catch(({ code }) => { throw new Error(code); }); }`;
  const answer = () => ({ ok: true, payload: { answer: {}, waitedMs: 0 } });
  const deepest = await runOnce(ask(999), { hardened: true, answer });
  expect(deepest).toMatchObject({ outcome: { kind: "value" }, hostCalls: [{ method: "ask.elicit" }] });
  const deeper = await runOnce(ask(1_000), { hardened: true, answer });
  expect(deeper).toMatchObject({ outcome: { kind: "error", message: "INVALID_REQUEST" }, hostCalls: [] });
});

test("a flood of empty log lines and of progress is bounded", async () => {
  const body = "for (let i = 0; i < 50000; i++) { console.log(''); g.run.progress(i, 50000, 'x'.repeat(1000)); }";
  const { notices } = await runOnce(`function main() { ${body} }`, { hardened: false });
  const logs = notices.filter(({ name }) => name === "log.write");
  const progress = notices.filter(({ name }) => name === "run.progress");
  expect(logs.length).toBe(2_049);
  expect(progress.length).toBeGreaterThanOrEqual(200);
  expect(progress.length).toBeLessThan(220);
  expect(String(progress[0]?.params.message).length).toBe(200);
});

test.for(MODES)(
  "$mode: console formats, counts, groups, measures, tells tables and places as Node does, in lines of the log",
  async ({ hardened }) => {
    const source = `function main() {
    console.log("%s has %d of %i, %f %j %o%c%% %x %s", "a", "4", 4.7, "1.5", { b: 1 }, [1], "color: red", 5);
    console.log("100%", 1); console.log("50%"); console.log("%d %s", { valueOf() { for (;;); } }, Symbol("s"), "rest");
    const { table, count } = console;
    count(); count("x"); count(); console.countReset(); count();
    console.group("outer"); console.warn("in"); console.group(); console.dir({ a: 1 }); console.groupEnd(); console.groupEnd(); console.groupEnd();
    console.assert(true, "no"); console.assert(false, "yes", 1); console.assert(0);
    table([{ a: 1, b: "%s" }, { b: 2 }]); table({ x: 1, y: [2] }, ["0"]); table(5);
    console.time("t"); console.timeEnd("t"); console.timeEnd("t");
    console.trace("here", 1);
    [1].forEach(console.log);
  }`;
    const { notices: told } = await runOnce(source, { hardened });
    const notices = [...told];
    const [place] = notices.splice(-2, 1);
    expect(place?.params).toEqual({ level: "debug", text: "Trace: here 1", at: [10, 13] });
    const lines = notices.map(({ params }) => `${params.level} ${params.text}`.replace(/: \d+ms$/, ": 0ms"));
    expect(lines).toEqual([
      'info a has 4 of 4, 1.5 {"b":1} [1]% %x 5',
      "info 100% 1",
      "info 50%",
      "info NaN Symbol(s) rest",
      ...["info default: 1", "info x: 1", "info default: 2", "info default: 1"],
      ...["info outer", "warn   in", 'info     {"a":1}'],
      ...["warn Assertion failed: yes 1", "warn Assertion failed"],
      ...["info (index) | a | b", "info 0 | 1 | %s", "info 1 |  | 2"],
      ...["info (index) | 0", "info x |  | 1", "info y | 2", "info 5"],
      ...["info t: 0ms", 'warn No timer "t" was started with console.time.'],
      "info 1 0 [1]",
    ]);
  },
);

test.for(MODES)("$mode: log text shows values without running getters or failing", async ({ hardened }) => {
  const body = `
    const circular = { a: 1 }; circular.self = circular;
    console.log("text", 1, null, undefined, true, 10n, Symbol("s"), () => 1);
    console.info({ a: [1, { b: "c" }], get g() { throw 1; } }, new Map([["k", 1]]), new Set([1]), new Uint8Array(3), new Date(0));
    console.warn(circular, new TypeError("wrong"), { e: new Error("inner") });
    console.error(new Proxy({}, { ownKeys() { throw 1; } }), { deep: { deep: { deep: { deep: { deep: 1 } } } } });
    g.log.debug([..."x".repeat(150)].length, Array.from({ length: 102 }, () => 0));`;
  const { notices, outcome } = await runOnce(`function main() { ${body} }`, { hardened });
  expect(outcome).toEqual({ kind: "value", value: null });
  expect(notices.map(({ params }) => params)).toEqual([
    { level: "info", text: "text 1 null undefined true 10n Symbol(s) [Function]" },
    { level: "info", text: '{"a":[1,{"b":"c"}],"g":[Getter]} Map{"k":1} Set{1} [3 bytes] "1970-01-01T00:00:00.000Z"' },
    { level: "warn", text: '{"a":1,"self":[Circular]} TypeError: wrong {"e":Error: inner}' },
    { level: "error", text: '[unreadable] {"deep":{"deep":{"deep":{"deep":{…}}}}}' },
    { level: "debug", text: `150 [${"0,".repeat(100)}… 2 more]` },
  ]);
});

test.for(MODES)("$mode: answers to an unknown call or sequence, second answers and late ones are dropped", async ({ hardened }) => {
  const source = `async function main({ wait }) {
    const answer = g.http.makeHttpRequest("https://a.example/");
    return wait ? (await answer).body : "did not wait"; }`;
  using isolate = await loadIsolate(source, { hardened });
  const payload = (bodyText: string) => JSON.stringify(httpAnswer({ bodyText }).payload);
  expect((await runCall(isolate, { args: { wait: false } })).outcome).toEqual({ kind: "value", value: "did not wait" });
  const answer = () => {
    isolate.deliver("call-0", 0, true, payload("of the call before"));
    isolate.deliver("call-1", 7, true, payload("of no request"));
    isolate.deliver("call-1", 0, true, payload("right"));
    isolate.deliver("call-1", 0, true, payload("second"));
    return undefined;
  };
  expect((await runCall(isolate, { args: { wait: true }, answer })).outcome).toEqual({ kind: "value", value: "right" });
});

test.for(MODES)("$mode: g of an ended call throws, and its continuation does not run in the next", async ({ hardened }) => {
  const source = `async function main({ round }) {
    if (round === 1) { g.http.makeHttpRequest("https://a.example/").then(() => console.log("continued")); return "left"; }
    await g.run.sleep(5);
    return "clean"; }`;
  using isolate = await loadIsolate(source, { hardened });
  await runCall(isolate, { args: { round: 1 } });
  isolate.deliver("call-0", 0, true, JSON.stringify(httpAnswer({}).payload));
  const second = await runCall(isolate, { args: { round: 2 } });
  expect(second).toEqual({ outcome: { kind: "value", value: "clean" }, notices: [], hostCalls: [] });
  // The steps run after the outcome was told, in the same turn: the call has ended, so nothing may go out.
  const after = `async function main() {
    const step = (n) => (n > 0 ? Promise.resolve().then(() => step(n - 1)) : (console.log("after"), fetch("https://a.example/")));
    step(50); return 1; }`;
  expect(await runOnce(after, { hardened })).toEqual({ outcome: { kind: "value", value: 1 }, notices: [], hostCalls: [] });
});
