import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { SAVE_STYLES } from "../../test/support/file-saves.ts";
import {
  codes,
  entry,
  makeFolder,
  makeWorkspaceFolder,
  openWorkspace,
  PLAIN_SCRIPT,
  putFiles,
  whenChanged,
} from "../../test/support/workspace-folder.ts";
import type { Workspace } from "./workspace.ts";

const NAMES = ["a", "b", "c"];

/** A tools.json in which every tool carries the number of the save; long enough that pieces of it are no JSON. */
function fileOf(save: number): string {
  return JSON.stringify({ tools: NAMES.map((name) => entry(name, { title: `save ${save}`, "x-note": "n".repeat(2_000) })) }, null, 2);
}

function titles(workspace: Workspace): readonly (string | undefined)[] {
  return workspace.current().tools.map(({ title }) => title);
}

test("in 25 saves in five styles no read sees fewer tools than the last good set, and each edit is live at once", async () => {
  const root = makeFolder({ "tools.json": fileOf(0), "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root);
  const seen = { reads: 0, fewest: NAMES.length, mixed: 0 };
  let isSaving = true;
  const read = async (): Promise<void> => {
    while (isSaving) {
      await workspace.refresh(seen.reads % 2 === 0 ? { kind: "tool", name: "a" } : { kind: "list" });
      const now = titles(workspace);
      seen.reads += 1;
      seen.fewest = Math.min(seen.fewest, now.length);
      if (new Set(now).size !== 1) seen.mixed += 1;
      await setImmediate();
    }
  };
  const reading = read();
  for (let save = 1; save <= 25; save++) {
    const [, style] = SAVE_STYLES[save % SAVE_STYLES.length] ?? [];
    await style?.(join(root, "tools.json"), fileOf(save));
    await workspace.refresh({ kind: "list" });
    expect(titles(workspace)).toEqual(NAMES.map(() => `save ${save}`));
  }
  isSaving = false;
  await reading;
  expect(seen).toEqual({ reads: seen.reads, fewest: NAMES.length, mixed: 0 });
  expect(seen.reads).toBeGreaterThan(25);
});

test.each([
  ["events", false],
  ["polling", true],
])("by %s alone, without any call, the last of five saves in five styles is live within a second", async (_mode, poll) => {
  const root = makeFolder({ "tools.json": fileOf(0), "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root, { poll });
  await workspace.whenWatching();
  for (const [index, [, style]] of SAVE_STYLES.entries()) {
    await style(join(root, "tools.json"), fileOf(index + 1));
    await whenChanged(workspace, () => titles(workspace)[0] === `save ${index + 1}`, 1_000);
  }
  expect(titles(workspace)).toEqual(NAMES.map(() => "save 5"));
});

test("a script that is saved by renaming is seen without a call, twice in a row, also in a folder of its own", async () => {
  const root = makeWorkspaceFolder([entry("a", { script: "deep/er/a.js" })], { "deep/er/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  for (const value of [2, 3]) {
    putFiles(root, { "deep/er/a.tmp": `function main() { return ${value}; }` });
    renameSync(join(root, "deep/er/a.tmp"), join(root, "deep/er/a.js"));
    await whenChanged(workspace, () => workspace.current().tools[0]?.script.source === `function main() { return ${value}; }`, 1_000);
  }
});

test("a tool whose script appears later, in a folder that is not there yet, works without a call", async () => {
  const root = makeWorkspaceFolder([entry("a", { script: "later/a.js" })]);
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  expect(codes(workspace.current().problems)).toEqual(["FILE_MISSING tools.json:6:17"]);
  mkdirSync(join(root, "later"));
  putFiles(root, { "later/a.js": PLAIN_SCRIPT });
  await whenChanged(workspace, () => workspace.current().tools.length === 1, 1_000);
});

test("a folder of scripts that is replaced, as git does, takes no tool away and its next edit is seen", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  const fewest = { count: 1 };
  workspace.onChange(() => {
    fewest.count = Math.min(fewest.count, workspace.current().tools.length);
  });
  rmSync(join(root, "scripts"), { recursive: true });
  const call = workspace.refresh({ kind: "tool", name: "a" });
  putFiles(root, { "scripts/a.js": "function main() { return 2; }" });
  await call;
  await whenChanged(workspace, () => workspace.current().tools[0]?.script.source === "function main() { return 2; }", 1_000);
  putFiles(root, { "scripts/a.js": "function main() { return 3; }" });
  await whenChanged(workspace, () => workspace.current().tools[0]?.script.source === "function main() { return 3; }", 1_000);
  expect(fewest.count).toBe(1);
});

test("a workspace folder that is replaced as a whole is read anew", async () => {
  const base = makeFolder();
  const root = join(base, "workspace");
  putFiles(root, { "tools.json": fileOf(1), "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  putFiles(join(base, "next"), { "tools.json": fileOf(2), "scripts/a.js": PLAIN_SCRIPT });
  renameSync(root, join(base, "gone"));
  renameSync(join(base, "next"), root);
  await whenChanged(workspace, () => titles(workspace)[0] === "save 2", 1_000);
  putFiles(root, { "tools.json": fileOf(3) });
  await whenChanged(workspace, () => titles(workspace)[0] === "save 3", 1_000);
});

test("a broken edit that stays is told without a call, and its mending too", async () => {
  const root = makeFolder({ "tools.json": fileOf(0), "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  putFiles(root, { "tools.json": fileOf(1).slice(0, 500) });
  await whenChanged(workspace, () => workspace.current().state === "last-good", 1_000);
  expect(titles(workspace)).toEqual(NAMES.map(() => "save 0"));
  putFiles(root, { "tools.json": fileOf(2) });
  await whenChanged(workspace, () => workspace.current().state === "ok", 1_000);
  expect(titles(workspace)).toEqual(NAMES.map(() => "save 2"));
});

test("files of others in the folder, and the server's own, cause no new generation", async () => {
  const root = makeFolder({ "tools.json": fileOf(0), "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  putFiles(root, { ".toolyard/state.json": "{}", "node_modules/x.js": "1", "notes.txt": "x", "scripts/other.js": "x", "other.json": "{}" });
  putFiles(root, { "tools.json": fileOf(1) });
  await whenChanged(workspace, () => titles(workspace)[0] === "save 1", 1_000);
  expect(workspace.current().generation).toBe(2);
});

test("a workspace that was closed tells nothing more", async () => {
  const root = makeFolder({ "tools.json": fileOf(0), "scripts/a.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  const before = workspace.current();
  await workspace[Symbol.asyncDispose]();
  putFiles(root, { "tools.json": fileOf(1) });
  await workspace.refresh({ kind: "list" });
  expect(workspace.current()).toBe(before);
});
