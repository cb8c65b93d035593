import { basename, extname } from "node:path";
import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeFolder } from "../../test/support/workspace-folder.ts";

const PACKAGES = {
  "node_modules/extends-arrays/package.json": { name: "extends-arrays", main: "index.js" },
  "node_modules/extends-arrays/index.js":
    "// Adds a method.\nArray.prototype.last = function () {\n  return this[this.length - 1];\n};\nexports.last = (list) => list.last();\n",
  "node_modules/extends-late/package.json": { name: "extends-late", main: "index.js" },
  "node_modules/extends-late/index.js": "exports.setUp = () => {\n  Object.prototype.late = 1;\n  return 1;\n};\n",
  "node_modules/plain/package.json": { name: "plain", main: "index.js" },
  "node_modules/plain/index.js": "exports.double = (n) => 2 * n;\n",
  "node_modules/spins/package.json": { name: "spins", main: "index.js" },
  "node_modules/spins/index.js": "const end = Date.now() + 1500;\nwhile (Date.now() < end);\nexports.done = 1;\n",
};

const SCRIPTS = {
  "scripts/early.ts": 'import { last } from "extends-arrays";\nexport default (): number => last([1, 2]);\n',
  "scripts/late.ts": 'import { setUp } from "extends-late";\nexport default (): number => {\n  return setUp();\n};\n',
  "scripts/top.ts":
    'import { double } from "plain";\nconst { n } = g.tool.args;\nconst found = double(n as number);\nexport default () => found;\n',
  "scripts/spins.ts": 'import { done } from "spins";\nexport default () => done;\n',
  "scripts/own.js": "async function main() {\n  Array.prototype.zap = () => 1;\n  return 1;\n}\n",
  "scripts/args.js": "async function main() {\n  g.tool.args.list = Array.prototype.map;\n}\n",
};

const SAYS_WHAT_TO_SET = / Set "isolation": "call" for the tool in tools\.json\. Fix it and call again; no restart is needed\.$/;

function makeScripts(isolation: "tool" | "call"): string {
  const tools = Object.keys(SCRIPTS).map((script) => entry(basename(script, extname(script)), { script, isolation }));
  return makeFolder({ "tools.json": { tools }, ...SCRIPTS, ...PACKAGES });
}

test('what cannot live in isolation "tool" is found before a call where it fails at once, and else by the call; each says what to set', async () => {
  await using runtime = await openTestRuntime(makeScripts("tool"), makeHome());
  const { tools, problems } = runtime.workspace.current();
  expect(tools.map(({ name }) => name)).toEqual(["late", "top", "spins", "own", "args"]);
  expect(problems).toEqual([
    {
      code: "HARDENED_REALM",
      severity: "error",
      place: { kind: "position", file: "node_modules/extends-arrays/index.js", line: 2, column: 17, sourceLine: "" },
      message: expect.stringContaining('isolation "tool", where built-in objects are frozen: TypeError: Cannot '),
      mend: 'Set "isolation": "call" for the tool in tools.json.',
      tool: "early",
    },
  ]);
  const early = await runtime.run("early");
  expect(early).toMatchObject({ kind: "error", code: "TOOL_BROKEN", message: expect.stringMatching(SAYS_WHAT_TO_SET) });
  const late = await runtime.run("late");
  expect(late).toMatchObject({
    kind: "error",
    code: "SCRIPT_ERROR",
    message: expect.stringMatching(
      /failed at scripts\/late\.ts:3:10 \(thrown at node_modules\/extends-late\/index\.js:2:20\): .* extensible\. The package .* set "isolation": "call" for the tool in tools\.json\.$/,
    ),
    data: { file: "scripts/late.ts", line: 3, column: 10, thrownIn: { file: "node_modules/extends-late/index.js", line: 2 } },
  });
  // A script that changes a built-in object itself is told the same, and one that changes its arguments is not.
  expect(await runtime.run("own")).toMatchObject({
    code: "SCRIPT_ERROR",
    message: `Tool "own" failed at scripts/own.js:2:23: TypeError: Cannot add property zap, object is not extensible. Built-in objects are frozen in isolation "tool": leave them as they are, or set "isolation": "call" for the tool in tools.json.`,
  });
  expect(await runtime.run("args")).toMatchObject({
    message: expect.stringMatching(/Cannot add property list, object is not extensible$/),
  });
  expect(await runtime.run("top", { n: 4 })).toMatchObject({ kind: "ok", value: 8 });
  // A trial that takes too long says nothing.
  expect(await runtime.run("spins")).toMatchObject({ kind: "ok", value: 1 });
});

test('the same packages work in isolation "call", where nothing is tried', async () => {
  await using runtime = await openTestRuntime(makeScripts("call"), makeHome());
  expect(runtime.workspace.current().problems).toEqual([]);
  expect(await runtime.sandboxStatus()).toBeUndefined();
  expect(await runtime.run("early")).toMatchObject({ kind: "ok", value: 2 });
  expect(await runtime.run("late")).toMatchObject({ kind: "ok", value: 1 });
  expect(await runtime.run("own")).toMatchObject({ kind: "ok", value: 1 });
});
