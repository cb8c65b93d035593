import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeHome } from "../../test/support/runtime.ts";
import { Secret } from "../core/secret.ts";
import { openVault, VAULT_FILE_NAME } from "./vault.ts";
import { VaultKeyRing } from "./vault-keys.ts";
import { VaultStore } from "./vault-store.ts";

test("a writer that lost its lock, and one whose file another has put there meanwhile, write nothing", async () => {
  const home = makeHome();
  const [path, lock] = [join(home, VAULT_FILE_NAME), join(home, "vault.lock")];
  using vault = openVault({ home, config: { keychain: false } });
  await vault.set({ kind: "global" }, "TOKEN", new Secret("a-value-0123456789"), { binding: { hosts: ["api.example.com"] } });
  using ring = new VaultKeyRing({ home, config: { keychain: false } });
  const store = new VaultStore(path);
  const write = (meanwhile: () => void): Promise<void> =>
    store.exclusively(async (locked) => {
      if (locked.stored === undefined) throw new Error("The vault was just made.");
      const { file } = locked.stored;
      const keys = await ring.unlock(file);
      meanwhile();
      locked.write({ ...file, gen: file.gen + 1 }, keys, "previous");
    });
  await write(() => undefined);
  const before = readFileSync(path, "utf8");
  const takeOver = (): void => {
    rmSync(lock);
    writeFileSync(lock, JSON.stringify({ pid: process.pid, token: "of-another-process" }));
  };
  await expect(write(takeOver)).rejects.toMatchObject({ code: "STORE_ERROR" });
  expect(readFileSync(path, "utf8")).toBe(before);
  rmSync(lock);
  const replace = (): void => {
    writeFileSync(`${path}.other`, before, { mode: 0o600 });
    renameSync(`${path}.other`, path);
  };
  await expect(write(replace)).rejects.toMatchObject({ code: "STORE_ERROR" });
  expect(readFileSync(path, "utf8")).toBe(before);
});
