import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { checkScript } from "./script-check.ts";

test.each<[string, string, string]>([
  ["async function main() { return 1; }", "async function main() { return 1; }", "main"],
  ["const main = async () => 1;", "const main = async () => 1;", "main"],
  ["export async function main() {}", "       async function main() {}", "main"],
  ["export const main = () => 1;", "       const main = () => 1;", "main"],
  ["export default async function (args) { return args; }", "const  $main = async function (args) { return args; };", "$main"],
  ["export default async (args) => args;", "const  $main = async (args) => args;", "$main"],
  ["export default function main() {}", "               function main() {}", "main"],
  ["export default function run() {}", "               function run() {}\nconst $main = run;", "$main"],
  ["export /* a */ default\n(args) => args", "const  /* a */ $main =\n(args) => args", "$main"],
  ["export default function () {}\n(function () {})();", "const  $main = function () {};\n(function () {})();", "$main"],
  ["export default function () {} var a = 1;", "const  $main = function () {};var a = 1;", "$main"],
  ["#!/usr/bin/env node\nfunction main() {}", "///usr/bin/env node\nfunction main() {}", "main"],
  ["export function helper() {}\nfunction main() {}", "       function helper() {}\nfunction main() {}", "main"],
])("%j runs as a plain function", (source, rewritten, entry) => {
  expect(checkScript(source)).toMatchObject({ ok: true, source: rewritten, entry });
});

test.each([
  'export default async function (args) { throw new Error("here"); }',
  'export default async (args) => { throw new Error("here"); }',
  'export /* a\n b */ default\n  async function run(args) {\n  throw new Error("here");\n}\nexport const helper = 1;',
])("an error of %j is thrown at the line and column of the file", async (source) => {
  const checked = checkScript(source);
  if (!checked.ok || checked.kind !== "plain") throw new Error("This is no plain script.");
  const before = source.slice(0, source.indexOf("new Error"));
  const place = `${before.split("\n").length}:${before.length - before.lastIndexOf("\n")}`;
  const wrapper = "(async () => {";
  const run: unknown = runInThisContext(`${wrapper}${checked.source}\n;await ${checked.entry}({});})`, {
    filename: "a.js",
    columnOffset: -wrapper.length,
  });
  const stack = typeof run === "function" ? await run().catch((error: Error) => error.stack) : "";
  expect(/a\.js:(\d+:\d+)/.exec(stack)?.[1]).toBe(place);
});

test.each<[string, string, number, string]>([
  ["function main() {\n  return [1].map((x) => );\n}", "SYNTAX", 42, "Unexpected token ')'."],
  ["function main() {", "SYNTAX", 17, "Unexpected end of the script."],
  ["with (a) {}\nfunction main() {}", "SYNTAX", 0, "'with' in strict mode."],
  ["return 1;", "SYNTAX", 0, "'return' outside of function."],
  ["const a = await b;\nfunction main() {}", "SYNTAX", 10, "await works inside an async function only; put it into main()."],
  ["for await (const a of b) ;\nfunction main() {}", "SYNTAX", 4, "await works inside an async function only; put it into main()."],
  ["class A { [await b]() {} }\nfunction main() {}", "SYNTAX", 11, "await works inside an async function only; put it into main()."],
  [
    "using a = b;\nfunction main() {}",
    "SYNTAX",
    0,
    "Using declaration cannot appear in the top level when source type is `script` or in the bare case statement.",
  ],
  ["const fetch = 1;\nfunction main() {}", "SYNTAX", 6, '"fetch" is there already in every script; give this one another name.'],
  [
    "function main() {}\nexport { main };",
    "SYNTAX",
    19,
    'Lists of exports are not read. Name the function "main", or put "export default" before it.',
  ],
  ["function main() { return 1 <!--a; }", "SYNTAX", 35, "Unexpected end of the script."],
  ["function main() { const await = 1; }", "SYNTAX", 24, "await works inside an async function only, and cannot be a name."],
  ["function main(a?: string) {}", "SYNTAX", 15, "Unexpected token '?'. If this is TypeScript, let the file's name end in .ts."],
  [
    "export interface A { b: string }\nfunction main() {}",
    "SYNTAX",
    7,
    "Unexpected token 'interface'. If this is TypeScript, let the file's name end in .ts.",
  ],
  ["type A = string;\nfunction main() {}", "SYNTAX", 5, "Unexpected token 'A'. If this is TypeScript, let the file's name end in .ts."],
  [
    "function main() { return 1 as number; }",
    "SYNTAX",
    27,
    "Unexpected token 'as'. If this is TypeScript, let the file's name end in .ts.",
  ],
  ["function main() { return { a: 1: 2 }; }", "SYNTAX", 31, "Unexpected token ':'."],
  ["const $main = 1;\nexport default () => 1;", "SYNTAX", 24, "Identifier '$main' has already been declared."],
  [
    "async function main({ a }) { await import(a); }",
    "IMPORT_UNSUPPORTED",
    35,
    "import() takes a path in quotes here: scripts are put together before they run.",
  ],
  [
    "function main() { return import.meta.url; }",
    "IMPORT_UNSUPPORTED",
    25,
    "import.meta is not there in scripts; what a tool needs to know stands in g.config.",
  ],
  [
    "const a = 1;",
    "MAIN_MISSING",
    0,
    'The script defines no main(). Write "async function main() { … }" or "export default async function () { … }".',
  ],
  ["const main = 5;", "MAIN_MISSING", 0, '"main" is not a function that can be called. Write "async function main() { … }".'],
  ["function* main() {}", "MAIN_MISSING", 0, '"main" is not a function that can be called. Write "async function main() { … }".'],
  ["export default { a: 1 };", "MAIN_MISSING", 15, "The default export is not a function that can be called."],
  ["export default class {}", "MAIN_MISSING", 15, "The default export is not a function that can be called."],
  ["", "MAIN_MISSING", 0, 'The script defines no main(). Write "async function main() { … }" or "export default async function () { … }".'],
])("%j is refused with its place", (source, code, offset, message) => {
  expect(checkScript(source)).toEqual({ ok: false, code, offset, message });
});

test.each([
  'import a from "./a.js";\nfunction main() {}',
  'async function main() { await import("./a.js"); }',
  'export * from "./a.js";',
  'export { main } from "./a.js";',
])("%j is a module, which is bundled", (source) => {
  expect(checkScript(source)).toEqual({ ok: true, kind: "module" });
});

test("a script nested a hundred thousand levels deep is refused, not a crash", () => {
  expect(checkScript(`function main() { return ${"[".repeat(100_000)} }`)).toMatchObject({ ok: false, code: "SYNTAX" });
});

test.each<[string, readonly unknown[]]>([
  ["// @timeout 30", [30_000]],
  ["// @timeout 30s", [30_000]],
  ["// @timeout 500ms", [500]],
  ["// @timeout 2m", [120_000]],
  ["// @timeout 1.5s and a remark", [1_500]],
  ["/**\n * Says hello.\n * @timeout 5s\n */", [5_000]],
  ["// @timeout 5\n// @timeout 3", [5_000, 3_000]],
  ["#!/usr/bin/env node\n// @timeout 5", [5_000]],
  ["// @timeout 0", ["0"]],
  ["// @timeout soon", ["soon"]],
  ["// @timeout", [""]],
  ["// a note about @timeout 30", []],
  ["// @timeouts 30", []],
])("the leading comment %j gives its limits", (comment, limits) => {
  const checked = checkScript(`${comment}\nfunction main() {}`);
  expect(
    checked.ok &&
      checked.kind === "plain" &&
      checked.timeouts.map((timeout) => (timeout.kind === "limit" ? timeout.timeoutMs : timeout.written)),
  ).toEqual(limits);
});

test("a comment after the first statement sets no limit", () => {
  const checked = checkScript("function main() {}\n// @timeout 1");
  expect(checked.ok && checked.kind === "plain" && checked.timeouts).toEqual([]);
});
