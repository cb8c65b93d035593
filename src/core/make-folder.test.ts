import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "make-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Message of the STORE_ERROR that making the folder gives. */
function refusal(folder: string): string {
  let message = "";
  expect(() => makeFolder(folder)).toThrow(
    expect.toSatisfy((error: { readonly code: string; readonly message: string }) => {
      message = error.message;
      return error.code === "STORE_ERROR";
    }),
  );
  return message;
}

test("missing folders are all made, with the rights that are asked for; one that is there stays as it is", () => {
  const folder = join(temporaryFolder(), "a", "b", "c");
  makeFolder(folder, 0o700);
  makeFolder(folder, 0o777);
  if (process.platform !== "win32") {
    for (const made of [folder, join(folder, ".."), join(folder, "../..")]) expect(statSync(made).mode & 0o777).toBe(0o700);
  }
});

test.skipIf(!existsSync("/proc/self"))(
  "a file system that takes no folders is said at once, with the folder that could not be made",
  () => {
    expect(refusal("/proc/toolyard/vault")).toContain("The folder /proc/toolyard could not be made (ENOENT).");
  },
);

test("a file in the place of the folder, or of one above it, is named", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  for (const wanted of [join(folder, "file"), join(folder, "file", "a", "b")])
    expect(refusal(wanted)).toContain(`${join(folder, "file")} is not a folder.`);
});

test.skipIf(process.platform === "win32")("a link that leads nowhere is not mistaken for a folder that is missing", () => {
  const folder = temporaryFolder();
  symlinkSync(join(folder, "nowhere"), join(folder, "link"));
  expect(refusal(join(folder, "link", "a"))).toContain(`The folder ${join(folder, "link")} could not be made (a link that leads nowhere`);
});
