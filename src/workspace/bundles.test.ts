import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleLog, call, makeModules, resultOf, TS_SCRIPT } from "../../test/support/module-folder.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { codes, entry, openWorkspace, putFiles, whenChanged } from "../../test/support/workspace-folder.ts";

test("a script in TypeScript that imports is there when the workspace is open, with the time limit of its comment", async () => {
  const workspace = await openWorkspace(makeModules());
  expect(workspace.current()).toMatchObject({ state: "ok", problems: [], tools: [{ name: "a", timeoutMs: 7_000 }] });
  expect(resultOf(workspace)).toBe(1);
});

test("an edit of a helper is live on the next call, and so is one of what the helper imports", async () => {
  const root = makeModules({ "lib/one.ts": 'export { two as one } from "./two";\n', "lib/two.ts": "export const two = 2;\n" });
  const workspace = await openWorkspace(root, { watch: false });
  expect(await call(workspace)).toBe(2);
  const [before] = workspace.current().tools;
  putFiles(root, { "lib/two.ts": "export const two = 22;\n" });
  expect(await call(workspace)).toBe(22);
  const [after] = workspace.current().tools;
  expect(after?.key).not.toBe(before?.key);
  putFiles(root, { "lib/one.ts": "export const one = 11;\n" });
  expect(await call(workspace)).toBe(11);
});

test("a helper written again as it was makes no new version", async () => {
  const root = makeModules();
  const workspace = await openWorkspace(root, { watch: false });
  const { tools } = workspace.current();
  putFiles(root, { "lib/one.ts": "export const one = 1;\n" });
  await call(workspace);
  expect(workspace.current().tools[0]).toBe(tools[0]);
});

test("a file that would be found before the imported one is noticed", async () => {
  const root = makeModules();
  rmSync(join(root, "lib/one.ts"));
  putFiles(root, { "lib/one.js": "export const one = 'js';\n" });
  const workspace = await openWorkspace(root, { watch: false });
  expect(await call(workspace)).toBe("js");
  putFiles(root, { "lib/one.ts": "export const one = 'ts';\n" });
  expect(await call(workspace)).toBe("ts");
});

test("a broken helper keeps the last good tool for a moment, as a broken script does, then sets it aside until it is mended", async () => {
  const root = makeModules();
  const workspace = await openWorkspace(root);
  putFiles(root, { "lib/one.ts": "export const one = ;\n" });
  await workspace.refresh({ kind: "list" });
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["a"]);
  await workspace.refresh({ kind: "tool", name: "a" });
  const { tools, broken, problems } = workspace.current();
  expect([tools.length, codes(problems)]).toEqual([0, ["SYNTAX lib/one.ts:1:20"]]);
  expect(broken).toMatchObject([{ name: "a", problem: { message: 'Unexpected ";".' }, replacedAtMs: expect.any(Number) }]);
  putFiles(root, { "lib/one.ts": "export const one = 5;\n" });
  expect(await call(workspace)).toBe(5);
});

test("a package that was missing is found once it is installed", async () => {
  const root = makeModules({ "lib/one.ts": 'export { one } from "numbers";\n' });
  const workspace = await openWorkspace(root, { watch: false });
  expect(codes(workspace.current().problems)).toEqual(["IMPORT_MISSING lib/one.ts:1:21"]);
  putFiles(root, {
    "node_modules/numbers/package.json": { name: "numbers", exports: "./numbers.js" },
    "node_modules/numbers/numbers.js": "export const one = 'installed';\n",
  });
  expect(await call(workspace)).toBe("installed");
  putFiles(root, {
    "node_modules/numbers/package.json": { name: "numbers", exports: "./other.js" },
    "node_modules/numbers/other.js": "export const one = 'updated';\n",
  });
  expect(await call(workspace)).toBe("updated");
});

test("a file of a package edited by hand is live after a reload", async () => {
  const root = makeModules({
    "lib/one.ts": 'export { one } from "numbers";\n',
    "node_modules/numbers/package.json": { name: "numbers", main: "numbers.js" },
    "node_modules/numbers/numbers.js": "exports.one = 1;\n",
  });
  const workspace = await openWorkspace(root, { watch: false });
  putFiles(root, { "node_modules/numbers/numbers.js": "exports.one = 2;\n" });
  await workspace.reload();
  expect(resultOf(workspace)).toBe(2);
});

test.each([
  ["events", false],
  ["polling", true],
])("by %s alone an edit of a helper in a folder of its own is live without any call", async (_mode, poll) => {
  const root = makeModules();
  const workspace = await openWorkspace(root, { poll });
  await workspace.whenWatching();
  putFiles(root, { "lib/one.ts": "export const one = 'edited';\n" });
  await whenChanged(workspace, () => resultOf(workspace) === "edited", 5_000);
});

test("a second start takes the bundle from the cache, for exactly the same files only", async () => {
  const root = makeModules();
  const cacheFolder = join(makeHome(), "cache");
  const start = async (): Promise<readonly [unknown, readonly string[]]> => {
    const { log, events } = bundleLog();
    const workspace = await openWorkspace(root, { cacheFolder, log, watch: false });
    return [resultOf(workspace), events];
  };
  expect(await start()).toEqual([1, ["bundle.made"]]);
  expect(await start()).toEqual([1, []]);
  putFiles(root, { "lib/one.ts": "export const one = 3;\n" });
  expect(await start()).toEqual([3, ["bundle.made"]]);
  putFiles(root, { "scripts/a.ts": TS_SCRIPT.replace("=> one", "=> one + 1") });
  expect(await start()).toEqual([4, ["bundle.made"]]);
});

test("what was read is what runs, also where a file is exchanged while it is bundled", async () => {
  const root = makeModules();
  const workspace = await openWorkspace(root, { watch: false });
  for (let round = 2; round < 12; round++) {
    putFiles(root, { "lib/new.ts": `export const one = ${round};\n` });
    const calling = call(workspace);
    renameSync(join(root, "lib/new.ts"), join(root, "lib/one.ts"));
    const during = await calling;
    expect([round - 1, round]).toContain(during);
    expect(await call(workspace)).toBe(round);
  }
});

test("texts, JSON and a browser's build of a package come in; what a package does without in browsers is empty", async () => {
  const root = makeModules({
    "lib/one.ts":
      'import table from "./table.json";\nimport note from "./note.md";\nimport raw from "./table.json" with { type: "text" };\nimport pkg from "pkg";\nexport const one = [table.a, note, raw, pkg, process.env.NODE_ENV, process.env.HOME];\n',
    "lib/table.json": '{"a":[1]}',
    "lib/note.md": "# Note\n",
    "node_modules/pkg/package.json": { name: "pkg", main: "node.js", browser: { "./node.js": "./web.js", fs: false } },
    "node_modules/pkg/web.js": "module.exports = Object.keys(require('fs'));\n",
  });
  const workspace = await openWorkspace(root);
  expect(resultOf(workspace)).toEqual([[1], "# Note\n", '{"a":[1]}', [], "production", undefined]);
});

test("a bundle over its limit is refused with both sizes", async () => {
  const root = makeModules({
    "toolyard.json": { limits: { bundleBytes: 1_000 } },
    "lib/one.ts": `export const one = "${"x".repeat(2_000)}";\n`,
  });
  const workspace = await openWorkspace(root);
  const [problem] = workspace.current().problems;
  expect([problem?.code, problem?.message]).toEqual([
    "FILE_TOO_LARGE",
    expect.stringMatching(/^scripts\/a\.ts and what it imports have \d{4} bytes together; at most 1000 run \("bundleBytes"\)\./),
  ]);
});

test("of two tools with one script, and of a script a link leads to, each is told and mended", async () => {
  const root = makeModules({
    "tools.json": { tools: [entry("a", { script: "scripts/a.ts" }), entry("b", { script: "scripts/link.ts" })] },
  });
  symlinkSync("a.ts", join(root, "scripts/link.ts"));
  const workspace = await openWorkspace(root);
  expect(workspace.current().tools.map(({ name, script }) => [name, script.file])).toEqual([
    ["a", "scripts/a.ts"],
    ["b", "scripts/link.ts"],
  ]);
  writeFileSync(join(root, "lib/one.ts"), "export const one = 9;\n");
  await workspace.refresh({ kind: "tool", name: "b" });
  expect(workspace.current().tools.map(({ script }) => script.source.includes("9"))).toEqual([true, true]);
});
