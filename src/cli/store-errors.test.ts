import { chmodSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome, openTestRuntime, storeSecret } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";

/** A workspace whose one tool needs MYKEY, stored in the vault of `home`. */
async function folderWithSecret(): Promise<{ readonly root: string; readonly home: string; readonly vault: string }> {
  const [root, home] = [makeFolder(), makeHome()];
  const tool = entry("one", { headers: { "X-Key": "{{MYKEY}}" }, allowedHosts: ["api.example.com"] });
  putFiles(root, { "tools.json": { tools: [tool] }, "scripts/a.js": PLAIN_SCRIPT });
  await storeSecret({ root, home }, "MYKEY", "sk-live-0123456789", { hosts: ["api.example.com"] });
  return { root, home, vault: join(home, "vault.json") };
}

test.skipIf(process.platform === "win32").each([
  ["can be read by others", (vault: string) => chmodSync(vault, 0o644), "chmod 600"],
  [
    "is a link",
    (vault: string) => {
      renameSync(vault, `${vault}.real`);
      symlinkSync(`${vault}.real`, vault);
    },
    "link",
  ],
  ["is gone, with its backup left", (vault: string) => renameSync(vault, `${vault}.bak`), "mv '"],
  ["lies in a folder that others write to", (vault: string) => chmodSync(join(vault, ".."), 0o777), "chmod 700"],
])("run says what is wrong with a vault that %s, and what to do", async (_what, harm, advice) => {
  const { root, home, vault } = await folderWithSecret();
  harm(vault);
  const cli = cliIn(root, home);
  const { code, stderr } = await cli(["run", "one"]);
  expect([code, stderr.split(" ")[0], stderr.includes(advice), stderr.includes("server's log")]).toEqual([1, "STORE_ERROR", true, false]);
  const { error } = JSON.parse((await cli(["run", "one", "--json"])).stdout);
  expect([error.code, error.message.includes(advice)]).toEqual(["STORE_ERROR", true]);
});

test.skipIf(process.platform === "win32")("a client's call that meets such a vault is told a call id and no path", async () => {
  const { root, home, vault } = await folderWithSecret();
  chmodSync(vault, 0o644);
  const result = await (await openTestRuntime(root, home)).run("one");
  expect(result).toMatchObject({ kind: "error", code: "STORE_ERROR", data: {}, message: expect.stringContaining(result.callId) });
  expect(JSON.stringify(result)).not.toContain(home);
});
