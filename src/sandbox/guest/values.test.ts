import { expect, test } from "vitest";
import { type CallSeen, loadIsolate, outcomeOf, runCall } from "../../../test/support/isolate-harness.ts";

const MODES = [
  { mode: "hardened", hardened: true },
  { mode: "plain", hardened: false },
];

/** Expression a script returns, and the value that comes out. */
const VALUES: readonly (readonly [expression: string, value: unknown])[] = [
  ["undefined", null],
  ["null", null],
  ["NaN", null],
  ["[Infinity, -Infinity, -0, 1.5]", [null, null, 0, 1.5]],
  ["{ n: 10n }", { n: "10" }],
  ["new Date(0)", "1970-01-01T00:00:00.000Z"],
  ["[new Date(NaN)]", [null]],
  ["new Map([['a', 1], ['b', undefined]])", { a: 1 }],
  [
    "new Map([[1, 'x'], ['k', new Set([2])]])",
    [
      [1, "x"],
      ["k", [2]],
    ],
  ],
  ["new Set(['a', { b: 1 }])", ["a", { b: 1 }]],
  ["new RangeError('far')", { name: "RangeError", message: "far" }],
  ["new Uint8Array([104, 105])", { base64: "aGk=" }],
  ["new Uint8Array([0, 1, 2, 3]).subarray(1, 3)", { base64: "AQI=" }],
  ["new Uint16Array([1])", { base64: "AQA=" }],
  ["new DataView(new ArrayBuffer(3), 1)", { base64: "AAA=" }],
  ["new ArrayBuffer(1)", { base64: "AA==" }],
  ["Object.defineProperty(new Uint8Array([1]), Symbol.toStringTag, { value: 'Object' })", { base64: "AQ==" }],
  ["Object.defineProperty(new ArrayBuffer(1), Symbol.toStringTag, { value: 'Object' })", {}],
  ["{ [Symbol.toStringTag]: 'ArrayBuffer', a: 1 }", { a: 1 }],
  ["'a\\ud800b'", "a\ufffdb"],
  ["{ ['\\udc00']: '\\ud83d\\ude00' }", { "\ufffd": "\u{1f600}" }],
  ["[undefined, , { a: undefined, b: 1 }]", [null, null, { b: 1 }]],
  ["{ toJSON() { return { own: 1 }; } }", { own: 1 }],
  ["{ list: [{ toJSON: (key) => key }] }", { list: ["0"] }],
  ["Object.assign(new Date(0), { toJSON: () => 'mine' })", "mine"],
  ["[Object(1), Object('s'), Object(true), Object(2n)]", [1, "s", true, "2"]],
  ['JSON.parse(\'{"__proto__": {"a": 1}, "b": [{"__proto__": 2, "constructor": 3}]}\')', { b: [{ constructor: 3 }] }],
  ["new Map([['__proto__', 1], ['a', 2]])", { a: 2 }],
  ["Object.create(null, { a: { value: 1, enumerable: true } })", { a: 1 }],
  ["new (class { x = 1; #y = 2; get z() { return 3; } })()", { x: 1 }],
  ["{ get a() { return 1; }, [Symbol('s')]: 2 }", { a: 1 }],
  ["new Proxy({ a: 1 }, {})", { a: 1 }],
  ["new Proxy([1, 2], {})", [1, 2]],
  ["{ then(resolve) { resolve(7); } }", 7],
  ["[/a\\/b/g]", ["/a\\/b/g"]],
  ["new URLSearchParams({ q: 'a b', r: '1' })", "q=a+b&r=1"],
  [
    "[new URL('https://a.example/?q=1'), new DOMException('gone', 'AbortError')]",
    ["https://a.example/?q=1", { name: "AbortError", message: "gone" }],
  ],
  ["{ headers: new Headers([['B', '2'], ['a', '1'], ['a', '3'], ['__proto__', 'x']]) }", { headers: { a: "1, 3", b: "2" } }],
  ["new (class extends EventTarget { x = 1; })()", { x: 1 }],
  ["(function () { return arguments; })()", {}],
  ["{ [Symbol.toStringTag]: 'RegExp', a: 1 }", { a: 1 }],
  ["{ [Symbol.toStringTag]: 'Map', a: 1 }", { a: 1 }],
  ["g.result.ok([1])", [1]],
  ["(() => { const shared = { a: 1 }; return [shared, shared]; })()", [{ a: 1 }, { a: 1 }]],
];

test.for(MODES)("$mode: values become JSON as documented", async ({ hardened }) => {
  const source = `const make = [${VALUES.map(([expression]) => `() => (${expression})`).join(",")}]; const main = async ({ index }) => make[index]();`;
  using isolate = await loadIsolate(source, { hardened });
  for (const [index, [expression, value]] of VALUES.entries()) {
    expect((await runCall(isolate, { args: { index } })).outcome, expression).toEqual({ kind: "value", value });
  }
});

/** Expression a script returns, and the message it ends with. */
const REFUSALS: readonly (readonly [expression: string, message: string])[] = [
  ["() => 1", "result is a function, which JSON cannot hold."],
  ["{ items: [1, 2, 3, { x: Symbol('s') }] }", "result.items[3].x is a symbol, which JSON cannot hold."],
  ["{ 'a b': { method() {} } }", 'result["a b"].method is a function, which JSON cannot hold.'],
  ["{ toJSON() { return { f: () => 1 }; } }", "result.f is a function, which JSON cannot hold."],
  ["(() => { const a = { b: [] }; a.b.push(a); return a; })()", "result.b[0] refers back to an object it stands in."],
  ["(() => { const m = new Map(); m.set('k', m); return m; })()", "result.k refers back to an object it stands in."],
  ["{ a: { get x() { throw new Error('boo'); } } }", "result.a.x cannot be read: boo."],
  ["{ a: 1, b: new Proxy({}, { ownKeys() { throw new Error('no keys'); } }) }", "result.b cannot be read: no keys."],
  ["[new Proxy({}, { getPrototypeOf() { throw 5; }, get() { throw 5; } })]", "result[0] cannot be read: 5."],
  ["{ a: { toJSON() { throw new Error('unwilling'); } } }", "result.a cannot be read: unwilling."],
  ["{ a: Promise.resolve(1) }", "result.a is a Promise; await it before returning."],
  ["{ a: new Response('x') }", "result.a is a Response; return what its json() or text() gives."],
  ["[new Blob(['x'])]", "result[0] is a Blob; return what its text() or bytes() gives."],
  ["new File(['x'], 'a.txt')", "result is a File; return what its text() or bytes() gives."],
  ["{ form: new FormData() }", "result.form is a FormData; return Object.fromEntries(form), or what you need of it."],
  ["[new WeakMap()]", "result[0] is a WeakMap, of which JSON holds nothing; return what you need of it as plain data."],
  ["[1].values()", "result is an Array Iterator, of which JSON holds nothing; return what you need of it as plain data."],
  [
    "{ i: new Intl.NumberFormat() }",
    "result.i is an Intl.NumberFormat, of which JSON holds nothing; return what you need of it as plain data.",
  ],
  ["(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return [proxy]; })()", ""],
];

test.for(MODES)("$mode: what JSON cannot hold is refused with its path", async ({ hardened }) => {
  const source = `const make = [${REFUSALS.map(([expression]) => `() => (${expression})`).join(",")}]; const main = async ({ index }) => make[index]();`;
  using isolate = await loadIsolate(source, { hardened });
  for (const [index, [expression, message]] of REFUSALS.entries()) {
    const { outcome } = await runCall(isolate, { args: { index } });
    expect(outcome, expression).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
    if (message !== "") expect(outcome?.message, expression).toBe(message);
  }
});

test("a result may be 1,000 levels deep, and one more is refused with a short path", async () => {
  const nested = (levels: number) => `let value = 1; for (let i = 0; i < ${levels}; i++) value = { o: value }; return value;`;
  expect((await outcomeOf(nested(1_000), { hardened: true }))?.kind).toBe("value");
  const refused = await outcomeOf(nested(1_001), { hardened: true });
  expect(refused).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
  expect(String(refused?.message)).toMatch(/^result\.o\.o.*… is nested deeper than 1000 levels\.$/);
  expect(String(refused?.message).length).toBeLessThan(300);
});

test("a Map that is written as pairs takes two of the 1,000 levels", async () => {
  const nested = (maps: number) => `let value = 1; for (let i = 0; i < ${maps}; i++) value = new Map([[i, value]]); return value;`;
  expect((await outcomeOf(nested(500), { hardened: true }))?.kind).toBe("value");
  expect(await outcomeOf(nested(501), { hardened: true })).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
  const last = "let value = new Map([[1, 1]]); for (let i = 0; i < 999; i++) value = [value]; return value;";
  expect(await outcomeOf(last, { hardened: true })).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
});

test("the size of a result counts in bytes, and more than the limit is refused early", async () => {
  const caps = { resultBytes: 1_000 };
  const sized = async (expression: string) => await outcomeOf(`return ${expression};`, { hardened: false, caps });
  expect(await sized("'x'.repeat(998)")).toMatchObject({ kind: "value" });
  const message =
    'The result is over the limit of 1000 bytes as JSON ("resultBytes" in "limits"). Return less: a part, a page or a summary.';
  const tooLarge = { kind: "error", code: "RESULT_TOO_LARGE", message };
  expect(await sized("'x'.repeat(999)")).toMatchObject(tooLarge);
  expect(await sized("'é'.repeat(499)")).toMatchObject({ kind: "value" });
  expect(await sized("'é'.repeat(500)")).toMatchObject(tooLarge);
  expect(await sized("new Array(2 ** 32 - 1)")).toMatchObject(tooLarge);
  expect(await sized("new Uint8Array(1e7)")).toMatchObject(tooLarge);
  expect(await sized("'x'.repeat(2 ** 28)")).toMatchObject(tooLarge);
});

test("a script that replaces the language's own functions changes nothing at the border", async () => {
  const source = `
    const map = new Map([["k", 1]]), define = Object.defineProperty;
    const patched = () => { throw new Error("patched"); };
    for (const key of ["0", "1", "value", "get", "set", "kind", "json", "code", "resolve", "pending", "then"])
      define(Object.prototype, key, { __proto__: null, get: () => key === "then" ? undefined : "patched", set: patched, configurable: true });
    for (const name of ["push", "join", "map", "forEach", "values"]) Array.prototype[name] = patched;
    Array.prototype[Symbol.iterator] = patched;
    JSON.stringify = () => '"patched"'; JSON.parse = () => ({ patched: true });
    Object.keys = Object.freeze = Object.defineProperty = Reflect.apply = patched;
    String.prototype.slice = String.prototype.charCodeAt = String.prototype.isWellFormed = () => "patched";
    RegExp.prototype.exec = () => null; Function.prototype.call = Function.prototype.apply = () => "patched";
    Map.prototype.forEach = Set.prototype.has = WeakMap.prototype.get = Promise.prototype.then = patched;
    async function main() {
      console.log("a", { b: 1n });
      const answer = await g.http.makeHttpRequest({ url: "https://a.example/", query: { q: "é" } });
      return { list: [1, "é", map], text: answer.text() };
    }`;
  using isolate = await loadIsolate(source, { hardened: false });
  const answer = () => ({
    ok: true,
    payload: { status: 200, statusText: "OK", headers: {}, setCookie: [], bodyText: "x", url: "u", redirected: false },
  });
  const seen: CallSeen = await runCall(isolate, { answer });
  expect(seen.outcome).toEqual({ kind: "value", value: { list: [1, "é", { k: 1 }], text: "x" } });
  expect(seen.hostCalls[0]?.params).toEqual({ url: "https://a.example/?q=%C3%A9", headers: {} });
  expect(seen.notices).toEqual([{ name: "log.write", params: { level: "info", text: 'a {"b":1n}' } }]);
});
