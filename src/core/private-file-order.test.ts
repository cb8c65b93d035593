// What survives a power cut is what was flushed before the rename; no test can cut the power, so the order of the calls is what is held.
import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Runs with the functions of Node wrapped: each does its work and says so, by the name of the file. */
const CODE = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
// Loaded first, as loading opens files too; what it has imported changes with the module.
const file = await import(process.argv[1]);
const names = new Map();
const shown = (path) => basename(path).replace(/[0-9a-v]{26}/, "NEW");
const { openSync, writeFileSync, fsyncSync, renameSync, linkSync, rmSync } = fs;
fs.openSync = (path, ...rest) => { const descriptor = openSync(path, ...rest); names.set(descriptor, shown(path)); return descriptor; };
fs.writeFileSync = (descriptor, ...rest) => { writeFileSync(descriptor, ...rest); console.log("write", names.get(descriptor)); };
fs.fsyncSync = (descriptor) => { fsyncSync(descriptor); console.log("sync", names.get(descriptor)); };
fs.renameSync = (from, to) => { renameSync(from, to); console.log("rename", shown(from), shown(to)); };
fs.linkSync = (from, to) => { linkSync(from, to); console.log("link", shown(from), shown(to)); };
fs.rmSync = (path, ...rest) => { const was = fs.existsSync(path); rmSync(path, ...rest); if (was) console.log("remove", shown(path)); };
syncBuiltinESMExports();
const [work, folder] = process.argv.slice(2);
const path = folder + "/a";
if (work === "replace") file.replacePrivateFile(path, "text", { backup: "none" });
if (work === "backup") file.replacePrivateFile(path, "text", { backup: "same" });
if (work === "create") file.createPrivateFile(folder + "/b", "text");
if (work === "move") file.movePrivateFile(path, folder + "/b");
if (work === "remove") file.removePrivateFile(path);`;

// Windows has no fsync of folders.
test.skipIf(process.platform === "win32").each([
  ["replace", ["write a.NEW.tmp", "sync a.NEW.tmp", "rename a.NEW.tmp a", "sync FOLDER"]],
  [
    "backup",
    [
      ...["write a.NEW.tmp", "sync a.NEW.tmp", "write a.NEW.bak", "sync a.NEW.bak"],
      ...["rename a.NEW.tmp a", "rename a.NEW.bak a.bak", "sync FOLDER"],
    ],
  ],
  ["create", ["write b.NEW.tmp", "sync b.NEW.tmp", "link b.NEW.tmp b", "sync FOLDER", "remove b.NEW.tmp"]],
  ["move", ["rename a b", "sync FOLDER"]],
  ["remove", ["remove a", "sync FOLDER"]],
])("to %s a file is flushed before it has its name, and its folder after", (work, expected) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-order-"));
  writeFileSync(join(folder.path, "a"), "before", { mode: 0o600 });
  const args = ["--input-type=module", "-e", CODE, new URL("private-file.ts", import.meta.url).href, work, folder.path];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const name = folder.path.slice(folder.path.lastIndexOf("/") + 1);
  expect([stdout.replaceAll(name, "FOLDER").trimEnd().split("\n"), stderr]).toEqual([expected, ""]);
});
