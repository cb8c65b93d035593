import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ToolError } from "./errors.ts";
import {
  createPrivateFile,
  fileSignature,
  movePrivateFile,
  readPrivateFile,
  removeLeftovers,
  removePrivateFile,
  replacePrivateFile,
} from "./private-file.ts";

const STORE_ERROR = expect.objectContaining({ code: "STORE_ERROR" });

test("a replaced file is for its owner only, and its backup holds what was there before", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "sub", "a.json");
  replacePrivateFile(path, "one", { backup: "previous" });
  replacePrivateFile(path, "two", { backup: "previous" });
  replacePrivateFile(path, "three", { backup: "previous" });
  expect(readPrivateFile(path, 100)?.text).toBe("three");
  expect(readFileSync(`${path}.bak`, "utf8")).toBe("two");
  expect([statSync(path).mode & 0o777, statSync(join(folder.path, "sub")).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readdirSync(join(folder.path, "sub")).sort()).toEqual(["a.json", "a.json.bak"]);
});

test('with backup "same" nothing of the content before stays, and later backups are right again', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "a.json");
  for (const [text, backup] of [
    ["one", "previous"],
    ["two", "same"],
    ["three", "previous"],
  ] as const)
    replacePrivateFile(path, text, { backup });
  expect(readFileSync(`${path}.bak`, "utf8")).toBe("two");
  replacePrivateFile(path, "four", { backup: "same" });
  // Two names of one file would be damaged together.
  expect(statSync(`${path}.bak`).ino).not.toBe(statSync(path).ino);
  replacePrivateFile(path, "five", { backup: "same" });
  expect(readFileSync(`${path}.bak`, "utf8")).toBe("five");
  expect(readdirSync(folder.path).sort()).toEqual(["a.json", "a.json.bak"]);
});

test("a refusal right before the change leaves the old file and no trace", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "a.json");
  replacePrivateFile(path, "one", { backup: "none" });
  const refuse = (): never => {
    throw new ToolError("STORE_ERROR", "not now");
  };
  expect(() => replacePrivateFile(path, "two", { backup: "previous", beforeCommit: refuse })).toThrow(STORE_ERROR);
  expect(readFileSync(path, "utf8")).toBe("one");
  expect(readdirSync(folder.path)).toEqual(["a.json"]);
});

test("the signature changes with each replacement by a file of the same size", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "a.json");
  expect(fileSignature(path)).toBeUndefined();
  const seen = new Set<string | undefined>();
  for (let round = 0; round < 50; round++) {
    replacePrivateFile(path, String(round).padStart(4), { backup: "none" });
    seen.add(fileSignature(path));
  }
  expect(seen.size).toBe(50);
  expect(readPrivateFile(path, 100)?.signature).toBe(fileSignature(path));
});

test("a file or folder that others may use, a link, a pipe, a folder, too much, and no UTF-8 are refused", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "a.json");
  expect(readPrivateFile(path, 100)).toBeUndefined();
  replacePrivateFile(path, "text", { backup: "none" });
  expect(() => readPrivateFile(path, 3)).toThrow(STORE_ERROR);
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(path, mode);
    expect(() => readPrivateFile(path, 100)).toThrow(STORE_ERROR);
  }
  chmodSync(path, 0o600);
  chmodSync(folder.path, 0o770);
  expect(() => readPrivateFile(path, 100)).toThrow(STORE_ERROR);
  chmodSync(folder.path, 0o755);
  expect(readPrivateFile(path, 100)?.text).toBe("text");
  symlinkSync(path, join(folder.path, "link"));
  mkdirSync(join(folder.path, "folder"), { mode: 0o700 });
  execFileSync("mkfifo", ["-m", "600", join(folder.path, "pipe")]);
  writeFileSync(join(folder.path, "bytes"), Buffer.from([0xff, 0xfe]), { mode: 0o600 });
  for (const name of ["link", "folder", "pipe", "bytes"])
    expect(() => readPrivateFile(join(folder.path, name), 100), name).toThrow(STORE_ERROR);
});

test("a file is made once and never overwritten", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "key");
  expect([createPrivateFile(path, "one"), createPrivateFile(path, "two")]).toEqual([true, false]);
  expect(readFileSync(path, "utf8")).toBe("one");
  expect(readdirSync(folder.path)).toEqual(["key"]);
});

test("leftovers of killed writers are removed, other files are not", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const id = "0123456789abcdefghijklmnop";
  for (const name of ["a.json", "a.json.bak", `a.json.${id}.tmp`, `a.json.${id}.bak`, `b.json.${id}.tmp`, "a.json.tmp"])
    writeFileSync(join(folder.path, name), "");
  removeLeftovers(join(folder.path, "a.json"));
  expect(readdirSync(folder.path).sort()).toEqual(["a.json", "a.json.bak", "a.json.tmp", `b.json.${id}.tmp`]);
});

test('with backup "same" a backup with the content before is never beside the new content, and a refusal leaves both', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "a.json");
  replacePrivateFile(path, "first", { backup: "none" });
  replacePrivateFile(path, "second", { backup: "previous" });
  const refuse = (): never => {
    throw new ToolError("STORE_ERROR", "no");
  };
  expect(() => replacePrivateFile(path, "third", { backup: "same", beforeCommit: refuse })).toThrow(STORE_ERROR);
  const both = (): string[] => [path, `${path}.bak`].map((name) => readFileSync(name, "utf8"));
  expect([both(), readdirSync(folder.path).sort()]).toEqual([
    ["second", "first"],
    ["a.json", "a.json.bak"],
  ]);
  // A folder in the backup's place cannot be removed: the change stops before it takes effect.
  rmSync(`${path}.bak`);
  mkdirSync(join(`${path}.bak`, "full"), { recursive: true });
  expect(() => replacePrivateFile(path, "third", { backup: "same" })).toThrow(STORE_ERROR);
  expect([readFileSync(path, "utf8"), readdirSync(folder.path).sort()]).toEqual(["second", ["a.json", "a.json.bak"]]);
});

test("a file is moved over another one and removed, and one that is not there is no error to remove but one to move", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const [from, to] = [join(folder.path, "next"), join(folder.path, "key")];
  createPrivateFile(from, "new");
  createPrivateFile(to, "old");
  movePrivateFile(from, to);
  expect([readFileSync(to, "utf8"), readdirSync(folder.path)]).toEqual(["new", ["key"]]);
  expect(() => movePrivateFile(from, to)).toThrow(STORE_ERROR);
  removePrivateFile(to);
  removePrivateFile(to);
  expect(readdirSync(folder.path)).toEqual([]);
});

// Only root can give files away.
test.skipIf(process.geteuid?.() !== 0)("a file or folder of another user is refused, a folder of root's is not", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "private-"));
  const path = join(folder.path, "a.json");
  replacePrivateFile(path, "text", { backup: "none" });
  for (const place of [path, folder.path]) {
    chownSync(place, 65_534, 65_534);
    expect(() => readPrivateFile(path, 100), place).toThrow(STORE_ERROR);
    chownSync(place, 0, 0);
    expect(readPrivateFile(path, 100)?.text).toBe("text");
  }
});
