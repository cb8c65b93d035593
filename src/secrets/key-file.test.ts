import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** In a process of its own: one that waits for a pipe stands still, and its test with it. */
const CODE = `import { readKeyFile } from ${JSON.stringify(new URL("key-file.ts", import.meta.url).href)};
try {
  readKeyFile(process.argv[1], { what: "its key file", workspaceRoot: undefined, rights: "own" });
} catch (error) {
  console.log(error.code, error.message);
}`;

test.skipIf(process.platform === "win32")("a pipe as key file is refused at once, and not waited for", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "key-file-"));
  const pipe = join(folder.path, "pipe");
  execFileSync("mkfifo", ["-m", "600", pipe]);
  const { stdout, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", CODE, pipe], { encoding: "utf8", timeout: 10_000 });
  expect([signal, stdout]).toEqual([
    null,
    "VAULT_LOCKED The vault stays locked: its key file is not a regular file. Name a regular file.\n",
  ]);
});
