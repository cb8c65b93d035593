import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../../test/support/workspace-folder.ts";
import type { ImportRequest, ResolveAnswer } from "./bundle-protocol.ts";
import { createModuleFiles } from "./module-files.ts";
import { createModuleResolver } from "./module-resolver.ts";

const FILES = {
  "scripts/a.ts": "",
  "scripts/a.js": "",
  "lib/one.js": "",
  "lib/both.ts": "",
  "lib/both.js": "",
  "lib/folder/index.ts": "",
  "lib/data.json": "{}",
  "lib/note.txt": "",
  "node_modules/plain/package.json": { name: "plain", main: "./lib/main", sideEffects: false },
  "node_modules/plain/lib/main.js": "",
  "node_modules/plain/lib/main.ts": "",
  "node_modules/dual/package.json": {
    name: "dual",
    exports: {
      ".": { node: "./node.js", browser: "./browser.js", import: "./esm.mjs", require: "./cjs.cjs" },
      "./sub": { import: "./sub.mjs", require: "./sub.cjs" },
      "./hidden": null,
      "./files/*": "./files/*.js",
    },
    imports: { "#inner": "./inner.js" },
  },
  "node_modules/dual/node.js": "",
  "node_modules/dual/browser.js": "",
  "node_modules/dual/esm.mjs": "",
  "node_modules/dual/sub.mjs": "",
  "node_modules/dual/sub.cjs": "",
  "node_modules/dual/inner.js": "",
  "node_modules/dual/files/x.js": "",
  "node_modules/web/package.json": {
    name: "web",
    main: "main.js",
    module: "module.js",
    browser: { fs: false, "./main.js": "./web.js", "./module.js": "./web.js" },
  },
  "node_modules/web/main.js": "",
  "node_modules/web/module.js": "",
  "node_modules/web/web.js": "",
  "node_modules/web/node_modules/plain/package.json": { name: "plain", main: "nested.js" },
  "node_modules/web/node_modules/plain/nested.js": "",
  "node_modules/text/package.json": { name: "text", main: "main.js", browser: "./web.js" },
  "node_modules/text/main.js": "",
  "node_modules/text/web.js": "",
  "node_modules/maps/package.json": {
    name: "maps",
    main: "main.js",
    browser: { "./lib/node.js": "./lib/web.js", "./lib/none.js": false, "node:fs": false, crypto: "./lib/web.js" },
  },
  "node_modules/maps/main.js": "",
  "node_modules/maps/lib/node.js": "",
  "node_modules/maps/lib/none.js": "",
  "node_modules/maps/lib/web.js": "",
  "node_modules/events/package.json": { name: "events", main: "events.js" },
  "node_modules/events/events.js": "",
  "node_modules/@scope/pkg/package.json": { name: "@scope/pkg", main: "index.js" },
  "node_modules/@scope/pkg/index.js": "",
  "node_modules/.pnpm/deep@1/node_modules/deep/package.json": { name: "deep", main: "deep.js" },
  "node_modules/.pnpm/deep@1/node_modules/deep/deep.js": "",
  "node_modules/.pnpm/deep@1/node_modules/base/index.js": "",
  ".hidden/secret.js": "",
  ".toolyard/id.js": "",
} as const;

function resolverOf(root: string): (specifier: string, request?: Partial<ImportRequest>) => ResolveAnswer {
  const files = createModuleFiles(root);
  const resolver = createModuleResolver({ root, files, onLook: () => undefined });
  return (specifier, request = {}) => resolver.resolve({ specifier, importer: "scripts/a.ts", style: "import", type: "", ...request });
}

function pathOf(answer: ResolveAnswer): string {
  switch (answer.kind) {
    case "module":
      return answer.path;
    case "empty":
    case "absent":
      return answer.kind;
    case "refused":
      return answer.code;
  }
}

const IMPORTS: readonly (readonly [string, string, Partial<ImportRequest>?])[] = [
  ["./a.js", "scripts/a.js"],
  ["../lib/one", "lib/one.js"],
  ["../lib/both", "lib/both.ts"],
  ["../lib/both.js", "lib/both.js"],
  ["../lib/folder", "lib/folder/index.ts"],
  ["../lib/folder/index.js", "lib/folder/index.ts"],
  ["../lib/data.json", "lib/data.json"],
  ["../lib/note.txt", "lib/note.txt"],
  ["plain", "node_modules/plain/lib/main.js"],
  ["plain", "node_modules/web/node_modules/plain/nested.js", { importer: "node_modules/web/web.js" }],
  ["dual", "node_modules/dual/browser.js"],
  ["dual/sub", "node_modules/dual/sub.mjs"],
  ["dual/sub", "node_modules/dual/sub.cjs", { style: "require" }],
  ["dual/files/x", "node_modules/dual/files/x.js"],
  ["#inner", "node_modules/dual/inner.js", { importer: "node_modules/dual/browser.js" }],
  ["web", "node_modules/web/web.js"],
  ["fs", "empty", { importer: "node_modules/web/web.js" }],
  ["text", "node_modules/text/web.js"],
  ["./lib/node", "node_modules/maps/lib/web.js", { importer: "node_modules/maps/main.js", style: "require" }],
  ["./none.js", "empty", { importer: "node_modules/maps/lib/web.js" }],
  ["node:fs", "empty", { importer: "node_modules/maps/main.js" }],
  ["crypto", "node_modules/maps/lib/web.js", { importer: "node_modules/maps/main.js", style: "require" }],
  ["events", "node_modules/events/events.js"],
  ["@scope/pkg", "node_modules/@scope/pkg/index.js"],
  ["./none", "IMPORT_MISSING"],
  ["none", "IMPORT_MISSING"],
  ["@scope/none", "IMPORT_MISSING"],
  ["dual/none", "IMPORT_MISSING"],
  ["dual/hidden", "IMPORT_MISSING"],
  ["#none", "IMPORT_MISSING"],
  ["fs", "IMPORT_UNSUPPORTED"],
  ["fs", "absent", { importer: "node_modules/dual/cjs.cjs", style: "require" }],
  ["none", "absent", { importer: "node_modules/dual/cjs.cjs", style: "require" }],
  ["../../../x", "IMPORT_OUTSIDE", { importer: "node_modules/dual/cjs.cjs", style: "require" }],
  ["node:fs/promises", "IMPORT_UNSUPPORTED"],
  ["node:events", "IMPORT_UNSUPPORTED"],
  ["https://example.com/a.js", "IMPORT_UNSUPPORTED"],
  ["data:text/javascript,1", "IMPORT_UNSUPPORTED"],
  ["../../a.js", "IMPORT_OUTSIDE"],
  ["..", "IMPORT_MISSING"],
  ["../..", "IMPORT_OUTSIDE"],
  ["/etc/hosts", "IMPORT_OUTSIDE"],
  ["file:///etc/hosts", "IMPORT_UNSUPPORTED"],
  ["../.hidden/secret.js", "IMPORT_OUTSIDE"],
  ["../.toolyard/id.js", "IMPORT_OUTSIDE"],
  ["plain/../../../../../../etc/hosts", "IMPORT_MISSING"],
];

test("imports lead to files of the workspace and packages of its node_modules, or nowhere", () => {
  const resolve = resolverOf(makeFolder(FILES));
  const found = IMPORTS.map(([specifier, , request = {}]) => [specifier, pathOf(resolve(specifier, request)), request]);
  expect(found).toEqual(IMPORTS.map(([specifier, path, request = {}]) => [specifier, path, request]));
});

test("what lies where a file is imported and is none is not told as missing", () => {
  const root = makeFolder(FILES);
  mkdirSync(join(root, "lib/empty"));
  execFileSync("mkfifo", [join(root, "lib/pipe.js")]);
  const resolve = resolverOf(root);
  const told = ["../lib/empty", "../lib/pipe.js", "../lib/none.js"].map((specifier) => {
    const answer = resolve(specifier);
    return answer.kind === "refused" ? answer.text : answer.kind;
  });
  expect(told).toEqual([
    '"../lib/empty" is no regular file, and no folder with an index. Paths are relative to scripts/a.ts.',
    '"../lib/pipe.js" is no regular file, and no folder with an index. Paths are relative to scripts/a.ts.',
    '"../lib/none.js" is not there. Paths are relative to scripts/a.ts.',
  ]);
});

test("a package that pnpm keeps by links is found, and so is what it depends on", () => {
  const root = makeFolder(FILES);
  symlinkSync(join(".pnpm", "deep@1", "node_modules", "deep"), join(root, "node_modules", "deep"));
  const resolve = resolverOf(root);
  const deep = "node_modules/.pnpm/deep@1/node_modules/deep/deep.js";
  expect(pathOf(resolve("deep"))).toBe(deep);
  expect(pathOf(resolve("base", { importer: deep }))).toBe("node_modules/.pnpm/deep@1/node_modules/base/index.js");
});

test("a package of which nothing is used can be left out where it says so", () => {
  const resolve = resolverOf(makeFolder(FILES));
  expect(resolve("plain")).toEqual({ kind: "module", path: "node_modules/plain/lib/main.js", sideEffects: false });
  expect(resolve("dual")).toEqual({ kind: "module", path: "node_modules/dual/browser.js", sideEffects: true });
});
