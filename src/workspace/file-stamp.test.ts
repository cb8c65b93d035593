import { appendFileSync, chmodSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder, putFiles } from "../../test/support/workspace-folder.ts";
import { isSameStamp, isSettled, stampOf } from "./file-stamp.ts";

test("writing, replacing, restoring an older time and removing each change a file's stamp", () => {
  const root = makeFolder({ a: "one" });
  const path = join(root, "a");
  const steps = [
    () => appendFileSync(path, "x"),
    () => utimesSync(path, 1, 1),
    () => chmodSync(path, 0o600),
    () => {
      putFiles(root, { b: "onex" });
      renameSync(join(root, "b"), path);
    },
    () => rmSync(path),
  ];
  let before = stampOf(path);
  expect(isSameStamp(before, stampOf(path))).toBe(true);
  for (const step of steps) {
    step();
    const after = stampOf(path);
    expect(isSameStamp(before, after)).toBe(false);
    before = after;
  }
  expect([before, isSameStamp(undefined, stampOf(path))]).toEqual([undefined, true]);
});

test("a stamp says nothing yet while another write could get the same one", () => {
  const changedAtMs = 1_000_000;
  const stamp = { device: 1n, inode: 1n, size: 1n, modifiedNs: 0n, changedNs: BigInt(changedAtMs) * 1_000_000n };
  const settled = [-500, 0, 50, 51, -1_001].map((laterMs) => isSettled(stamp, changedAtMs + laterMs));
  expect(settled).toEqual([false, false, false, true, true]);
  expect(isSettled(undefined, changedAtMs)).toBe(true);
});
