import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codes, entry, makeFolder, openWorkspace, PLAIN_SCRIPT, putFiles, whenChanged } from "../../test/support/workspace-folder.ts";
import type { Workspace } from "./workspace.ts";

const TOOLS = [entry("a"), entry("b", { script: "scripts/b.js" }), entry("broken", { script: "scripts/none.js" })];

/** A workspace in a folder that can be moved. */
function movable(): { readonly root: string; readonly away: string } {
  const base = makeFolder();
  const root = join(base, "workspace");
  putFiles(root, { "tools.json": { tools: TOOLS }, "scripts/a.js": PLAIN_SCRIPT, "scripts/b.js": PLAIN_SCRIPT });
  return { root, away: join(base, "away") };
}

function names(workspace: Workspace): readonly string[] {
  return workspace.current().tools.map(({ name }) => name);
}

test("a folder that is moved away keeps its last good set, and the one problem says where it was", async () => {
  const { root, away } = movable();
  const workspace = await openWorkspace(root, { watch: false });
  const before = workspace.current();
  renameSync(root, away);
  const { tools, broken, problems, state } = await workspace.reload();
  expect([tools, broken, state]).toEqual([before.tools, before.broken, "last-good"]);
  expect(codes(problems)).toEqual(["FILE_MISSING", "FILE_MISSING tools.json:16:17"]);
  expect(problems[0]).toEqual({
    code: "FILE_MISSING",
    severity: "error",
    place: { kind: "none" },
    message: `The folder of this workspace, ${root}, is gone: it was moved, renamed or removed. What was read of it last stays in service.`,
    mend: "Put it back at that path, and it is live again on the next call. To serve it elsewhere, start a server there.",
  });
  const told = workspace.current();
  expect(await workspace.reload()).toBe(told);
});

test("a folder that comes back is live again on the next call, with what was edited elsewhere", async () => {
  const { root, away } = movable();
  const workspace = await openWorkspace(root, { watch: false });
  const before = workspace.current();
  renameSync(root, away);
  await workspace.reload();
  renameSync(away, root);
  await workspace.refresh({ kind: "tool", name: "a" });
  expect([workspace.current().state, codes(workspace.current().problems), workspace.current().tools]).toEqual([
    "ok",
    codes(before.problems),
    before.tools,
  ]);
  renameSync(root, away);
  await workspace.reload();
  putFiles(away, { "tools.json": { tools: [entry("later")] } });
  renameSync(away, root);
  await workspace.refresh({ kind: "list" });
  expect([workspace.current().state, names(workspace)]).toEqual(["ok", ["later"]]);
});

test.each([
  ["events", false],
  ["polling", true],
])("by %s, a folder that is gone for long and comes back is told without a call, and its next edit is seen", async (_mode, poll) => {
  const { root, away } = movable();
  const workspace = await openWorkspace(root, { poll });
  await workspace.whenWatching();
  renameSync(root, away);
  await whenChanged(workspace, () => workspace.current().state === "last-good", 3_000);
  expect(names(workspace)).toEqual(["a", "b"]);
  renameSync(away, root);
  await whenChanged(workspace, () => workspace.current().state === "ok", 3_000);
  putFiles(root, { "tools.json": { tools: [entry("later")] } });
  await whenChanged(workspace, () => names(workspace)[0] === "later", 1_000);
});

test("a folder that was never there gives an empty set which says so, as does a file in its place", async () => {
  const base = makeFolder();
  writeFileSync(join(base, "file"), "");
  for (const root of [join(base, "none"), join(base, "file"), join(base, "file/below")]) {
    const workspace = await openWorkspace(root, { watch: false });
    expect([workspace.current().state, codes(workspace.current().problems)]).toEqual(["empty", ["FILE_MISSING"]]);
  }
});
