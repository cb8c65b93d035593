import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { gist, testCall, testSandbox } from "../../test/support/sandbox-call.ts";

test("a host starts where a package manager keeps the native library behind a link, in a folder with odd names", async () => {
  const root = await mkdtemp(join(await realpath(tmpdir()), "toolyard, [links] "));
  onTestFinished(() => rm(root, { recursive: true }));
  const source = dirname(fileURLToPath(import.meta.url));
  await cp(source, join(root, "src", "sandbox"), { recursive: true });
  await cp(join(source, "..", "core"), join(root, "src", "core"), { recursive: true });
  await writeFile(join(root, "package.json"), '{ "type": "module" }');
  await cp(join(source, "..", "..", "node_modules", "isolated-vm"), join(root, "store", "node_modules", "isolated-vm"), {
    recursive: true,
  });
  await cp(join(source, "..", "..", "node_modules", "node-gyp-build"), join(root, "store", "node_modules", "node-gyp-build"), {
    recursive: true,
  });
  await mkdir(join(root, "node_modules"));
  await symlink(join(root, "store", "node_modules", "isolated-vm"), join(root, "node_modules", "isolated-vm"));
  const copy: typeof import("./host-launch.ts") = await import(pathToFileURL(join(root, "src", "sandbox", "host-launch.ts")).href);
  await using sandbox = await testSandbox({ command: copy.hostCommand() });
  expect(gist(await sandbox.run(testCall("async function main() { return 1 }", { timeoutMs: 10_000 })))).toEqual({ value: 1 });
});
