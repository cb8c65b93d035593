import fc from "fast-check";
import { expect, test } from "vitest";
import { httpAnswer, loadIsolate, outcomeOf, runCall, runOnce } from "../../../test/support/isolate-harness.ts";
import { HTTP_CASES, STANDARD_CASES } from "../../../test/support/web-cases-http.ts";
import { TEXT_CASES } from "../../../test/support/web-cases-text.ts";
import { URL_CASES } from "../../../test/support/web-cases-url.ts";
import { scriptOf, shownInIsolate, shownInNode } from "../../../test/support/web-oracle.ts";
import type { JsonValue } from "../../core/json.ts";

test.for([...URL_CASES, ...TEXT_CASES, ...HTTP_CASES])("%s: every case is as in Node, in both modes", async ([, expressions]) => {
  const expected = await shownInNode(expressions);
  for (const hardened of [true, false]) {
    const shown = await shownInIsolate(expressions, { hardened });
    const different = expressions.flatMap((text, at) =>
      JSON.stringify(shown[at]) === JSON.stringify(expected[at]) ? [] : [{ text, here: shown[at], node: expected[at] }],
    );
    expect(different).toEqual([]);
  }
});

test("where Node departs from a standard, the names do not", async () => {
  const shown = await shownInIsolate(
    STANDARD_CASES.map(([expression]) => expression),
    { hardened: true },
  );
  expect(shown).toEqual(STANDARD_CASES.map(([, value]) => value));
});

/** Pieces that URLs are made of, well and badly. */
const PIECES = [
  "http",
  "https",
  "file",
  "ws",
  "a",
  ":",
  "/",
  "//",
  "\\",
  "?",
  "#",
  "@",
  ".",
  "..",
  "%2e",
  "%",
  "[::1]",
  "1.2.3.4",
  "0x1",
  "80",
  "443",
  " ",
  "\t",
  "\u00e9",
  "xn--",
  "localhost",
  "&",
  "=",
  "+",
  "~",
  "^",
  "|",
  "\ud800",
];
/** Characters that Node's Unicode knows: the library's table for host names is of a later version, where more are allowed. */
const assigned = fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((text) => !/\p{Cn}/u.test(text));
const urlText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => `https://a.example/${pieces.join("")}`),
  fc
    .tuple(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string({ unit: assigned, maxLength: 6 }))
    .map((parts) => parts.join("")),
);
const bytes = fc.uint8Array({ maxLength: 24 }).map((list) => [...list]);
const brokenText = fc.oneof(fc.constantFrom("\u00e9", "\u20ac", "\ud83d\ude00", "a", "\ufeff"), fc.constant("x")).chain((text) => {
  const encoded = [...new TextEncoder().encode(`${text}${text}`)];
  return fc.tuple(fc.nat(encoded.length - 1), fc.nat(255)).map(([at, byte]) => encoded.with(at, byte));
});

/** For each property: what makes an input, and the expression of `input` that must give the same on both sides. */
const PROPERTIES: readonly (readonly [what: string, input: fc.Arbitrary<JsonValue>, expression: string])[] = [
  [
    "URL",
    urlText,
    "[URL.canParse(input), ((u) => [u?.href, u?.origin, u?.host, u?.pathname, u?.search, u && [...u.searchParams]])(URL.parse(input, 'http://base/x/y'))]",
  ],
  [
    "URLSearchParams",
    fc.string({ unit: "binary", maxLength: 20 }),
    "[String(new URLSearchParams(input)), [...new URLSearchParams(input)]]",
  ],
  [
    "TextDecoder",
    fc.oneof(bytes, brokenText),
    "['utf-8', 'utf-16le', 'utf-16be'].map((label) => new TextDecoder(label).decode(new Uint8Array(input)))",
  ],
  [
    "TextDecoder in pieces",
    fc.oneof(bytes, brokenText),
    "((d) => input.map((byte) => d.decode(new Uint8Array([byte]), { stream: true })).join('') + d.decode())(new TextDecoder())",
  ],
  ["TextEncoder", fc.string({ unit: "binary", maxLength: 20 }), "new TextEncoder().encode(input)"],
  ["atob", fc.oneof(fc.base64String({ maxLength: 20 }), fc.string({ maxLength: 9 })), "((t) => [t, btoa(t)])(atob(input))"],
];

test.for(PROPERTIES)("%s: any input gives what it gives in Node", async ([, input, expression]) => {
  const body = (list: string): string =>
    scriptOf([`await Promise.all(${list}.map(async (input) => { try { return ${expression}; } catch (e) { return e.name; } }))`]);
  using isolate = await loadIsolate(body("g.tool.args.inputs"), { hardened: true });
  await fc.assert(
    fc.asyncProperty(fc.array(input, { minLength: 40, maxLength: 40 }), async (inputs) => {
      const { outcome } = await runCall(isolate, { args: { inputs } });
      expect(outcome?.value).toEqual(
        await shownInNode([
          `JSON.parse(${JSON.stringify(JSON.stringify(inputs))}).map((input) => { try { return ${expression}; } catch (e) { return e.name; } })`,
        ]),
      );
    }),
    { numRuns: 25 },
  );
});

test("a call may take 4 MiB of random bytes", async () => {
  const body = `let taken = 0; try { for (;;) taken += crypto.getRandomValues(new Uint8Array(65536)).length; } catch (error) { return [taken, error.name, error.code]; }`;
  expect(await outcomeOf(body, { hardened: true })).toEqual({ kind: "value", value: [4 * 1_048_576, "QuotaExceededError", 22] });
});

test.for([
  ["a listener", "new AbortController().signal"],
  ["a task", "queueMicrotask(() => { throw new RangeError('lost'); });"],
  ["an interval", "setInterval(() => { throw new RangeError('lost'); }, 1);"],
] as const)("what %s throws has nobody to catch it and ends the call, with its position", async ([what, body]) => {
  const script =
    what === "a listener"
      ? "const c = new AbortController();\nc.signal.onabort = () => { throw new RangeError('lost'); };\nc.abort();"
      : `\n${body}\n`;
  const outcome = await outcomeOf(`${script} await new Promise(() => {});`, { hardened: true });
  expect(outcome).toMatchObject({ kind: "error", name: "RangeError", message: "lost", file: "scripts/a.js", line: 2 });
});

test("each time of an interval counts against the timers of the call", async () => {
  const body =
    "for (let made = 0; made < 9990; made++) clearTimeout(setTimeout(() => {}, 1e6)); setInterval(() => {}, 0); await new Promise(() => {});";
  expect(await outcomeOf(body, { hardened: false })).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
});

test("names are found on the global object under a computed name, and can be set there for the call", async () => {
  const body = `const at = (name) => globalThis[name.toUpperCase()];
    globalThis.Blob = "mine";
    return [new (at("url"))("https://a.example").host, globalThis.Blob, typeof Blob, "Headers" in globalThis, Object.keys(globalThis)];`;
  const value = ["a.example", "mine", "function", true, []];
  for (const hardened of [true, false]) expect(await outcomeOf(body, { hardened }), String(hardened)).toEqual({ kind: "value", value });
});

test("a script may declare the names itself", async () => {
  const source =
    "const URL = 1, Headers = 2; class Response {} function main() { return [URL, Headers, new Response() instanceof globalThis.Response]; }";
  expect((await runOnce(source, { hardened: true })).outcome).toEqual({ kind: "value", value: [1, 2, false] });
});

test("logs show what objects of the names hold", async () => {
  const body = `console.log(new URL("https://a.example/b"), new URLSearchParams("a=1"), new Headers({ a: "1" }), new Response("x", { status: 404 }), new DOMException("m", "AbortError"), { u: new URL("https://a") });`;
  const { notices } = await runOnce(`function main() { ${body} }`, { hardened: true });
  expect(notices[0]?.params.text).toBe(
    'URL https://a.example/b URLSearchParams a=1 Headers {"a":"1"} Response 404 AbortError: m {"u":URL https://a/}',
  );
});

test("a DOMException that ends the call is told by its name and place", async () => {
  const outcome = await outcomeOf("\nAbortSignal.abort().throwIfAborted();", { hardened: true });
  expect(outcome).toEqual({
    kind: "error",
    name: "AbortError",
    message: "This operation was aborted",
    file: "scripts/a.js",
    line: 2,
    column: 13,
  });
});

test("a script that replaces the language under the names gets no other request out", async () => {
  const source = `String.prototype.toWellFormed = () => "https://evil.example/"; String.prototype.toLowerCase = () => "authorization"; Array.prototype.sort = Object.keys = () => ["x"];
    async function main() { await fetch("https://a.example/", { headers: { "X-A": "1" }, body: new URLSearchParams("a=1"), method: "POST" }); }`;
  const { hostCalls } = await runOnce(source, { hardened: false, answer: () => httpAnswer({}) });
  const form = "application/x-www-form-urlencoded;charset=UTF-8";
  expect(hostCalls.map(({ params }) => params)).toEqual([
    { url: "https://a.example/", method: "POST", headers: { "x-a": "1", "content-type": form }, body: { kind: "text", text: "a=1" } },
  ]);
});
