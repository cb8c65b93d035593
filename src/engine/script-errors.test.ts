import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeFolder } from "../../test/support/workspace-folder.ts";
import { isJsonObject } from "../core/json.ts";

/** Marks, in the text of a file, the character at which its fault is told; not part of the file. */
const MARK = "⟦";

/** A comment with a valid source map, by which the first lines of the text are those of another file. */
const MAP = JSON.stringify({ version: 3, sources: ["../lib/math.ts"], names: [], mappings: "AAAA;AAAA;AAAA;AAAA" });
const MAP_COMMENT = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(MAP).toString("base64")}`;

interface Case {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly code: string;
  /** The end of the message, or a part of it. */
  readonly says: string;
}

const CASES: readonly Case[] = [
  {
    title: "a syntax error of a plain script",
    files: { "main.js": "async function main() {\n  return [1].map((x) => ⟦);\n}\n" },
    code: "SYNTAX",
    says: "Unexpected token ')'.",
  },
  {
    title: "an error thrown by a plain script",
    files: { "main.js": "// one\n\nasync function main() {\n  throw ⟦new RangeError('far');\n}\n" },
    code: "SCRIPT_ERROR",
    says: "RangeError: far",
  },
  {
    title: "an error thrown in a default export",
    files: { "main.mjs": "export default async () => {\n\tthrow ⟦new Error('here');\n};\n" },
    code: "SCRIPT_ERROR",
    says: "Error: here",
  },
  {
    title: "a property of null, in a function that main calls",
    files: {
      "main.js": "function read(thing) {\n  return thing.⟦a.b;\n}\nasync function main() {\n  return read({ a: null });\n}\n".replace(
        "⟦a.b",
        "a.⟦b",
      ),
    },
    code: "SCRIPT_ERROR",
    says: "Cannot read properties of null (reading 'b')",
  },
  {
    title: "a promise rejected in a timer",
    files: {
      "main.js":
        "async function main() {\n  await new Promise((resolve, reject) => {\n    setTimeout(() => reject(⟦new Error('late')), 1);\n  });\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: late",
  },
  {
    title: "a syntax error of TypeScript",
    files: { "main.ts": "interface A {\n  n: number;\n}\nexport default (args: A): number => args.n +⟦;\n" },
    code: "SYNTAX",
    says: 'Unexpected ";".',
  },
  {
    title: "an error thrown by TypeScript, behind lines that are types only",
    files: {
      "main.ts":
        "type A = {\n  n: number;\n};\nexport async function main(args: A): Promise<number> {\n  if (!args.n) throw ⟦new Error('none');\n  return 1;\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: none",
  },
  {
    title: "an error of TypeScript that imports nothing and exports nothing",
    files: {
      "main.ts":
        "enum Kind { A, B }\nasync function main(): Promise<void> {\n  const kind: Kind = Kind.B;\n  throw ⟦new Error('kind ' + kind);\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: kind 1",
  },
  {
    title: "an error thrown in a helper",
    files: {
      "main.js": 'import { check } from "./lib/check.js";\nasync function main() {\n  return check(0);\n}\n',
      "lib/check.js": "// The helper.\nexport function check(n) {\n  if (n < 1) {\n    throw ⟦new Error('small');\n  }\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: small",
  },
  {
    title: "an error thrown in a helper of a helper, all TypeScript",
    files: {
      "main.ts": 'import { first } from "./lib/first";\nexport default async (): Promise<number> => first();\n',
      "lib/first.ts": 'import { second } from "./second.js";\nexport const first = (): number => second(1 as number);\n',
      "lib/second.ts": "export function second(n: number): never {\n  const text: string = 'got ' + n;\n  throw ⟦new TypeError(text);\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "TypeError: got 1",
  },
  {
    title: "a promise rejected in a helper after it waited",
    files: {
      "main.ts": 'import { wait } from "./lib/wait.ts";\nexport default async () => {\n  await wait();\n};\n',
      "lib/wait.ts": "export async function wait(): Promise<void> {\n  await g.run.sleep(1);\n  throw ⟦new Error('slept');\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: slept",
  },
  {
    title: "a promise rejected in one of several callbacks of a helper",
    files: {
      "main.js": 'import { all } from "./lib/all.mjs";\nexport default () => all([1, 2, 3]);\n',
      "lib/all.mjs":
        "export const all = (list) =>\n  Promise.all(\n    list.map(async (n) => {\n      await null;\n      if (n === 2) throw ⟦new Error('two');\n      return n;\n    }),\n  );\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: two",
  },
  {
    title: "an error in a method of a class, behind characters of two units",
    files: {
      "main.ts": 'import { Box } from "./lib/box";\nexport default () => new Box("😀").open();\n',
      "lib/box.ts":
        "export class Box {\n  readonly #label: string;\n  constructor(label: string) {\n    this.#label = label;\n  }\n  open(): never {\n    const face = '😀😀'; throw ⟦new Error(face + this.#label);\n  }\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: 😀😀😀",
  },
  {
    title: "a syntax error of a helper, behind characters of two units",
    files: {
      "main.ts": 'import "./lib/bad";\nexport default () => 1;\n',
      "lib/bad.ts": "export const face = '😀';\nexport const a = '😀', b = ⟦;\n",
    },
    code: "SYNTAX",
    says: 'Unexpected ";".',
  },
  {
    title: "a fault of imported JSON",
    files: { "main.js": 'import data from "./data.json";\nexport default () => data;\n', "data.json": '{\n  "a": 1,\n  "b": ⟦x\n}\n' },
    code: "SYNTAX",
    says: 'Unexpected "x" in JSON.',
  },
  {
    title: "an error of what imported JSON holds",
    files: {
      "main.js": 'import data from "./data.json" with { type: "json" };\nexport default () => {\n  return data.list.⟦map((x) => x);\n};\n',
      "data.json": '{ "list": {} }',
    },
    code: "SCRIPT_ERROR",
    says: "is not a function",
  },
  {
    title: "an import of a file that is not there",
    files: {
      "main.ts": 'import { a } from "./lib/a";\nimport { b } from ⟦"./lib/b";\nexport default () => [a, b];\n',
      "lib/a.ts": "export const a = 1;\n",
    },
    code: "IMPORT_MISSING",
    says: '"./lib/b" is not there. Paths are relative to',
  },
  {
    title: "an import of a package that is not there",
    files: { "main.js": '\nimport _ from ⟦"lodash";\nexport default () => _.now();\n' },
    code: "IMPORT_MISSING",
    says: 'The package "lodash" is not in node_modules of the workspace. Run in the workspace: npm install lodash',
  },
  {
    title: "an import of a module of Node",
    files: {
      "main.js": 'import { a } from "./lib/a.js";\nexport default () => a;\n',
      "lib/a.js": '// Reads.\nimport { readFileSync } from ⟦"node:fs";\nexport const a = readFileSync("x");\n',
    },
    code: "IMPORT_UNSUPPORTED",
    says: "scripts have no files",
  },
  {
    title: "an import out of the workspace",
    files: { "main.js": 'import text from ⟦"../../../../etc/hosts";\nexport default () => text;\n' },
    code: "IMPORT_OUTSIDE",
    says: "leads out of the workspace",
  },
  {
    title: "an import of a hidden file",
    files: { "main.js": 'import text from ⟦"./.env.txt";\nexport default () => text;\n', ".env.txt": "KEY=1" },
    code: "IMPORT_OUTSIDE",
    says: "hidden folder",
  },
  {
    title: "an import of an export that is not there",
    files: { "main.ts": 'import { one, ⟦two } from "./lib/a";\nexport default () => [one, two];\n', "lib/a.ts": "export const one = 1;\n" },
    code: "SYNTAX",
    says: 'No matching export in "',
  },
  {
    title: "an error thrown in a package, told at the author's line",
    files: {
      "main.ts":
        'import { parse } from "strict-parse";\nexport default (): unknown => {\n  const text = "x";\n  return ⟦parse(text);\n};\n',
      "node_modules/strict-parse/package.json": '{ "name": "strict-parse", "exports": { "import": "./esm.js", "default": "./cjs.js" } }',
      "node_modules/strict-parse/esm.js": "export function parse(text) {\n  throw new SyntaxError('bad ' + text);\n}\n",
    },
    code: "SCRIPT_ERROR",
    says: "SyntaxError: bad x",
  },
  {
    title: "an error of a package that fails as it is loaded, told at its import",
    files: {
      "main.js": 'import broken from ⟦"broken";\nexport default () => broken;\n',
      "node_modules/broken/package.json": '{ "name": "broken", "main": "index.js" }',
      "node_modules/broken/index.js": "// Loads.\nmodule.exports = missingName();\n",
    },
    code: "SCRIPT_ERROR",
    says: "ReferenceError: missingName is not defined",
  },
  {
    title: "a package that requires a module of Node as it is called, told at the author's line with what to use instead",
    files: {
      "main.js": 'import dial from "dials";\nexport default () => ⟦dial();\n',
      "node_modules/dials/package.json": '{ "name": "dials", "main": "index.js" }',
      "node_modules/dials/index.js": "module.exports = () => {\n  return require('net').connect(1);\n};\n",
    },
    code: "SCRIPT_ERROR",
    says: '(thrown at node_modules/dials/index.js:2:10): Error: "net" is a module of Node, which is not there in the sandbox: use g.http.makeHttpRequest or fetch; there are no other connections. Look for a package, or a build of this one, that does without.',
  },
  {
    title: "an import of a path that is known only in the call",
    files: {
      "main.ts": 'export default async ({ name = "./lib/a.ts" }) => {\n  const { a } = await ⟦import(name);\n  return a;\n};\n',
      "lib/a.ts": "export const a = 1;\n",
    },
    code: "SCRIPT_ERROR",
    says: 'Error: Dynamic require of "./lib/a.ts" is not supported. Scripts are put together before they run: import each file it can be with its path in quotes',
  },
  {
    title: "an error at the top level of TypeScript",
    files: {
      "main.ts": "const limit: number = Number('1');\nif (limit > 0) {\n  throw ⟦new Error('early');\n}\nexport default () => limit;\n",
    },
    code: "SCRIPT_ERROR",
    says: "Error: early",
  },
  {
    title: "a script without main",
    files: { "main.ts": "// Nothing here.\n⟦export const a: number = 1;\n".replace("// Nothing here.\n⟦", "⟦// Nothing here.\n") },
    code: "MAIN_MISSING",
    says: "The script defines no main().",
  },
  {
    title: "import.meta in a helper",
    files: {
      "main.js": 'import { here } from "./lib/here.js";\nexport default () => here;\n',
      "lib/here.js": "export const here = ⟦import.meta.url;\n",
    },
    code: "IMPORT_UNSUPPORTED",
    says: "import.meta is not there in scripts",
  },
  {
    title: "await outside of a function",
    files: { "main.ts": "const a: number = ⟦await Promise.resolve(1);\nexport default () => a;\n" },
    code: "SYNTAX",
    says: "await works inside an async function only; put it into main().",
  },
  {
    title: "an import of native code",
    files: { "main.js": 'import fast from ⟦"./lib/fast.node";\nexport default () => fast;\n', "lib/fast.node": "x" },
    code: "IMPORT_UNSUPPORTED",
    says: "is native code",
  },
  {
    title: "a pattern that only the engine refuses",
    files: { "main.ts": "export default (): boolean => {\n  return ⟦/(/.test('a');\n};\n" },
    code: "SYNTAX",
    says: "Invalid regular expression",
  },
  {
    title: "a plain script that calls itself another file",
    files: { "main.js": "async function main() {\n  throw ⟦new Error('mine');\n}\n//# sourceURL=tools.json\n" },
    code: "SCRIPT_ERROR",
    says: "Error: mine",
  },
  {
    title: "a script that calls itself another file and names a map of its own",
    files: { "main.ts": `export default (): never => {\n  throw ⟦new Error('mine');\n};\n//# sourceURL=lib/other.ts\n${MAP_COMMENT}\n` },
    code: "SCRIPT_ERROR",
    says: "Error: mine",
  },
  {
    title: "a helper that calls itself another file and names a map of its own",
    files: {
      "main.ts": 'import { fail } from "./lib/fail";\nexport default () => fail();\n//# sourceURL=lib/other.ts\n',
      "lib/fail.ts": `export function fail(): never {\n  throw ⟦new Error('mine');\n}\n//# sourceURL=lib/other.ts\n${MAP_COMMENT}\n`,
    },
    code: "SCRIPT_ERROR",
    says: "Error: mine",
  },
  {
    title: "a script and a helper with a map in a comment of another form, and the words of one in a string",
    files: {
      "main.js": `/*# ${MAP_COMMENT.slice(4)} */\nimport { fail } from "./lib/fail.mjs";\nexport default () => fail("${MAP_COMMENT}");`,
      "lib/fail.mjs": `export function fail(text) {\n  throw ⟦new Error(text.slice(0, 21) + \`\n${MAP_COMMENT}\`.length);\n}\n//@${MAP_COMMENT.slice(3)}`,
    },
    code: "SCRIPT_ERROR",
    says: `Error: //# sourceMappingURL=${MAP_COMMENT.length + 1}`,
  },
  {
    title: "a package with a map of its own, told at the author's line",
    files: {
      "main.ts": 'import { parse } from "mapped-parse";\nexport default (): unknown => {\n  return ⟦parse("x");\n};\n',
      "node_modules/mapped-parse/package.json": '{ "name": "mapped-parse", "main": "index.js" }',
      "node_modules/mapped-parse/index.js": `exports.parse = (text) => {\n  throw new SyntaxError('bad ' + text);\n};\n${MAP_COMMENT}`,
    },
    code: "SCRIPT_ERROR",
    says: "(thrown at node_modules/mapped-parse/index.js:2:9): SyntaxError: bad x",
  },
  {
    title: "a helper with a map of its own that ends too early",
    files: {
      "main.ts": 'import { open } from "./lib/open";\nexport default () => open;\n',
      "lib/open.ts": `export const open = {\n${MAP_COMMENT}⟦`,
    },
    code: "SYNTAX",
    says: "Expected identifier but found end of file.",
  },
];

/** The files of a case below a folder of their own, without marks, and where the mark was. */
function prepare({ files }: Case, folder: string): { readonly files: Record<string, string>; readonly place: string } {
  const plain: Record<string, string> = {};
  let place = "";
  for (const [path, text] of Object.entries(files)) {
    const name = path.startsWith("node_modules/") ? path : `${folder}/${path}`;
    const at = text.indexOf(MARK);
    plain[name] = text.replace(MARK, "");
    const before = text.slice(0, at);
    if (at >= 0) place = `${name}:${before.split("\n").length}:${at - before.lastIndexOf("\n")}`;
  }
  return { files: plain, place };
}

test("38 scripts that fail in different ways each tell the file, line and column of the fault", async () => {
  const cases = CASES.map((one, index) => ({ one, name: `case-${index}`, ...prepare(one, `scripts/case-${index}`) }));
  const entries = cases.map(({ name, one }) => entry(name, { script: `scripts/${name}/${Object.keys(one.files)[0]}` }));
  const root = makeFolder({ "tools.json": { tools: entries }, ...Object.assign({}, ...cases.map(({ files }) => files)) });
  await using runtime = await openTestRuntime(root, makeHome());
  const told: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const { one, name, place } of cases) {
    const result = await runtime.run(name);
    if (result.kind !== "error") throw new Error(`${one.title} did not fail.`);
    const { problem } = result.data;
    const { code = result.code, file, line, column, excerpt } = isJsonObject(problem) ? problem : result.data;
    const marked = typeof excerpt === "string" ? excerpt.split("\n").find((text) => text.startsWith(">")) : undefined;
    told[one.title] = {
      place: `${file}:${line}:${column}`,
      code,
      says: result.message.includes(one.says) ? one.says : result.message,
      line: marked === undefined ? undefined : Number(/\d+/.exec(marked)?.[0]),
    };
    expected[one.title] = { place, code: one.code, says: one.says, line: Number(place.split(":")[1]) };
  }
  expect(told).toEqual(expected);
});
