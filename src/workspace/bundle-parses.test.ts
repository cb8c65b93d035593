import { expect, test } from "vitest";
import { codes, entry, makeFolder, openWorkspace } from "../../test/support/workspace-folder.ts";

const SCRIPTS = {
  "scripts/within.ts": "export async function main() {\n  const await: number = 1;\n}\n",
  "scripts/name.ts": "export function main(): number {\n  const await: number = 1;\n  return await;\n}\n",
  "scripts/pattern.ts": 'export default (a: string): boolean =>\n  /(/.test(a) || "💥" === a;\n',
  "scripts/helper.js": 'import { isWord } from "../lib/word.js";\nexport default ({ a }) => isWord(a);\n',
  "scripts/sloppy.ts": 'import { nine } from "sloppy";\nexport default (): number => nine;\n',
  "scripts/types.js": 'import { isWord } from "../lib/word.js";\nexport default (a: string) => isWord(a);\n',
  "scripts/decorated.ts":
    "const twice = (f: () => number) => () => 2 * f();\nclass A {\n  @twice\n  n() {\n    return 21;\n  }\n}\nasync function main() {\n  return new A().n();\n}\n",
};

test("what the bundler takes and cannot run is told before a call, with its place in the file it stands in", async () => {
  const tools = Object.keys(SCRIPTS).map((script) => entry(/\/(\w+)/.exec(script)?.[1] ?? "", { script }));
  const root = makeFolder({
    "tools.json": { tools },
    ...SCRIPTS,
    "lib/word.js": "// A word.\nexport const isWord = (text) => /(?<a.b>x)/.test(text);\n",
    "node_modules/sloppy/package.json": { name: "sloppy", main: "index.js" },
    "node_modules/sloppy/index.js": "var digits = { nine: 9 };\nwith (digits) {\n  exports.nine = nine;\n}\n",
  });
  const workspace = await openWorkspace(root, { watch: false });
  const { broken } = workspace.current();
  expect(broken.map(({ name, problem }) => [name, ...codes([problem]), problem.message])).toEqual([
    ["within", "SYNTAX scripts/within.ts:2:9", "await works inside an async function only, and cannot be a name."],
    ["name", "SYNTAX scripts/name.ts:2:9", "await works inside an async function only, and cannot be a name."],
    ["pattern", "SYNTAX scripts/pattern.ts:2:3", "Invalid regular expression: /(/: Unterminated group."],
    ["helper", "SYNTAX lib/word.js:2:33", "Invalid regular expression: /(?<a.b>x)/: Invalid capture group name."],
    ["sloppy", "SYNTAX node_modules/sloppy/index.js:2:1", "Strict mode code may not include a with statement."],
    ["types", "SYNTAX scripts/types.js:2:18", "Unexpected token ':'. If this is TypeScript, let the file's name end in .ts."],
  ]);
  expect(broken[2]?.problem.place).toMatchObject({ sourceLine: '  /(/.test(a) || "💥" === a;' });
  const [decorated] = workspace.current().tools;
  const main: unknown = new Function(`"use strict";${decorated?.script.source}\nreturn $main;`)();
  expect(typeof main === "function" && (await main())).toBe(42);
});
