import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleLog, call, makeModules, resultOf } from "../../test/support/module-folder.ts";
import { entry, makeFolder, openWorkspace, putFiles } from "../../test/support/workspace-folder.ts";

/** What can lie in place of an imported file, and what is then said of the import. */
const IN_THE_WAY: readonly (readonly [string, string, (file: string, outside: string) => void])[] = [
  ["a link that leads in a circle", "FILE_UNREADABLE", (file) => symlinkSync("one.ts", file)],
  ["a link to the outside", "IMPORT_OUTSIDE", (file, outside) => symlinkSync(join(outside, "one.ts"), file)],
  ["a link to a hidden folder", "IMPORT_OUTSIDE", (file) => symlinkSync("../.hidden", file)],
  ["a folder", "IMPORT_MISSING", (file) => mkdirSync(file)],
  ["nothing", "IMPORT_MISSING", () => undefined],
];

test.each(IN_THE_WAY)(
  "%s in place of an imported file is judged once, and the file that replaces it is live on the next call",
  async (_what, code, put) => {
    const outside = makeFolder({ "one.ts": "export const one = 'outside';\n" });
    const root = makeModules({ ".hidden/x.txt": "" });
    const file = join(root, "lib/one.ts");
    rmSync(file);
    put(file, outside);
    const { log, events } = bundleLog();
    const workspace = await openWorkspace(root, { watch: false, log });
    for (let round = 0; round < 3; round++) await workspace.refresh({ kind: "tool", name: "a" });
    expect(workspace.current().broken.map(({ problem }) => problem.code)).toEqual([code]);
    expect(events).toEqual(["bundle.made"]);
    rmSync(file, { recursive: true, force: true });
    putFiles(root, { "lib/one.ts": "export const one = 'mended';\n" });
    expect(await call(workspace)).toBe("mended");
  },
);

test("an import with a name of 300 characters is judged once", async () => {
  const root = makeModules({ "lib/one.ts": `export { one } from "./${"o".repeat(300)}";\n` });
  const { log, events } = bundleLog();
  const workspace = await openWorkspace(root, { watch: false, log });
  for (let round = 0; round < 3; round++) await workspace.refresh({ kind: "tool", name: "a" });
  expect(workspace.current().problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/its name is longer than a file's can be\.$/),
  ]);
  expect(events).toEqual(["bundle.made"]);
});

test("a folder that lay before the imported file is noticed when it becomes a file", async () => {
  const root = makeModules({ "lib/one.js": "export const one = 'js';\n" });
  rmSync(join(root, "lib/one.ts"));
  mkdirSync(join(root, "lib/one.ts"));
  const workspace = await openWorkspace(root, { watch: false });
  expect(resultOf(workspace)).toBe("js");
  rmSync(join(root, "lib/one.ts"), { recursive: true });
  putFiles(root, { "lib/one.ts": "export const one = 'ts';\n" });
  expect(await call(workspace)).toBe("ts");
});

test("a link to a folder, or to a package, that is pointed elsewhere is seen though the entry there has the same bytes", async () => {
  const root = makeFolder({
    "tools.json": { tools: [entry("a", { script: "scripts/a.ts" })] },
    "scripts/a.ts": 'import { one } from "../lib/one";\nimport { two } from "two";\nexport default () => [one, two];\n',
  });
  for (const version of ["v1", "v2"]) {
    putFiles(root, {
      [`${version}/one.ts`]: 'export { one } from "./inner";\n',
      [`${version}/inner.ts`]: `export const one = "${version}";\n`,
      [`packages/${version}/package.json`]: { name: "two", main: "two.js" },
      [`packages/${version}/two.js`]: 'exports.two = require("./inner");\n',
      [`packages/${version}/inner.js`]: `module.exports = "${version}";\n`,
    });
  }
  const point = (link: string, target: string): void => {
    symlinkSync(target, join(root, "next"));
    renameSync(join(root, "next"), join(root, link));
  };
  mkdirSync(join(root, "node_modules"));
  point("lib", "v1");
  point("node_modules/two", "../packages/v1");
  const workspace = await openWorkspace(root, { watch: false });
  expect(resultOf(workspace)).toEqual(["v1", "v1"]);
  point("lib", "v2");
  expect(await call(workspace)).toEqual(["v2", "v1"]);
  point("node_modules/two", "../packages/v2");
  expect(await call(workspace)).toEqual(["v2", "v2"]);
});
