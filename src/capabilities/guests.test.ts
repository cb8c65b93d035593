import { expect, test } from "vitest";
import { loadIsolate, makeIsolate, outcomeOf, runCall, runOnce } from "../../test/support/isolate-harness.ts";

test("g holds the facts of the call, frozen to the bottom", async () => {
  const body = `const frozen = (value) => typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    return [g.tool, g.config, g.agent, { ...g.run, remainingMs: 0, progress: 0, sleep: 0 }, frozen(g.tool), frozen(g.config), Object.isFrozen(g), Object.keys(g).sort()];`;
  const { outcome } = await runOnce(`function main() { ${body} }`, { hardened: true, args: { a: { b: [1] } } });
  expect(outcome?.value).toEqual([
    { args: { a: { b: [1] } }, name: "echo", title: "Echo", description: "Gives back." },
    { city: "Bern", nested: { list: [1] } },
    { id: "default", instanceId: "i-1" },
    { id: "call-0", origin: "cli", startedAt: "2026-01-02T03:04:05.000Z", remainingMs: 0, progress: 0, sleep: 0 },
    true,
    true,
    true,
    ["agent", "ask", "config", "http", "log", "result", "run", "secrets", "tool"],
  ]);
});

test("a __proto__ in the arguments is plain data", async () => {
  const args = JSON.parse('{"__proto__": {"p": 1}}');
  const body = "return [({}).p === undefined, args.p === undefined, Object.keys(args)];";
  expect(await outcomeOf(body, { hardened: true, args })).toEqual({ kind: "value", value: [true, true, ["__proto__"]] });
});

test("g.run tells the time left, sends progress and sleeps", async () => {
  const body =
    "const before = g.run.remainingMs(); await g.run.sleep(20); g.run.progress(1, 3, 'one'); g.run.progress(2); return before - g.run.remainingMs();";
  const { outcome, notices } = await runOnce(`async function main() { ${body} }`, { hardened: true });
  expect(Number(outcome?.value)).toBeGreaterThanOrEqual(19);
  expect(notices).toEqual([
    { name: "run.progress", params: { done: 1, total: 3, message: "one" } },
    { name: "run.progress", params: { done: 2 } },
  ]);
  expect(await outcomeOf("g.run.progress(-1);", { hardened: true })).toMatchObject({ name: "TypeError" });
  expect(await outcomeOf("await g.run.sleep('1');", { hardened: true })).toMatchObject({ name: "TypeError" });
});

test("g.secrets.getSecret throws and says what to do instead", async () => {
  const outcome = await outcomeOf("return g.secrets.getSecret('API_KEY');", { hardened: true });
  expect(outcome).toMatchObject({ kind: "error", code: "SECRET_ACCESS_DENIED", file: "scripts/a.js" });
  expect(String(outcome?.message)).toContain('"{{API_KEY}}"');
});

test("a realm without capabilities runs scripts; g is empty and there is no console", async () => {
  using isolate = await makeIsolate({ hardened: true, change: (sources) => ({ ...sources, capabilities: [] }) });
  await isolate.load({ source: "function main() { return [Object.keys(g), typeof console, typeof fetch]; }", file: "a.js", entry: "main" });
  expect((await runCall(isolate)).outcome).toEqual({ kind: "value", value: [[], "undefined", "undefined"] });
});

test("a global object of its own takes what a script writes, and shows what belongs to the call", async () => {
  const source = `function main() {
    globalThis.kept ??= 0; globalThis.kept++; self.other = 1;
    return [globalThis.kept, global === globalThis && self === globalThis, globalThis.globalThis === globalThis, globalThis.g === g, globalThis.Array === Array]; }`;
  using isolate = await loadIsolate(source, { hardened: true });
  const value = [1, true, true, true, true];
  expect((await runCall(isolate)).outcome).toEqual({ kind: "value", value });
  expect((await runCall(isolate)).outcome).toEqual({ kind: "value", value });
});

test("functions that the hardening's library does not know are there in both kinds of realm, and frozen in the hardened one", async () => {
  const body = `return [RegExp.escape("a.b"), Error.isError(new TypeError("x")), Error.isError({}), Object.isFrozen(RegExp.escape) && Object.isFrozen(Error.isError)];`;
  for (const hardened of [true, false]) {
    const value = ["\\x61\\.b", true, false, hardened];
    expect(await outcomeOf(body, { hardened }), String(hardened)).toEqual({ kind: "value", value });
  }
});
