/** Vaults that earlier versions wrote open, say the same, and can be changed. See test/fixtures/vault/README.md. */
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { openAgentStore } from "../../src/policy/agent-store.ts";
import { globalSecretValue, openTrust } from "../../src/policy/trust-store.ts";
import type { KeyContext } from "../../src/secrets/key-source.ts";
import { openVault, type Vault } from "../../src/secrets/vault.ts";
import { memoryKeychain } from "../support/memory-keychain.ts";

const SAMPLES = fileURLToPath(new URL("../fixtures/vault/", import.meta.url));
const WITH_ALL = ["v1-credential", "v1-key-file", "v1-keychain", "v1-passphrase"];
const HERE = { kind: "workspace", id: "sample-workspace-1" } as const;

/** A copy of the sample with the rights that git does not keep. */
function sample(name: string): string {
  const home = mkdtempSync(join(tmpdir(), "sample-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  cpSync(join(SAMPLES, name), home, { recursive: true });
  for (const file of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const path = join(home, file);
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  }
  chmodSync(home, 0o700);
  return home;
}

function contextOf(name: string, home: string): KeyContext {
  const config = { keychain: false };
  if (name === "v1-credential") return { home, config: { ...config, credentialsDirectory: home } };
  if (name === "v1-passphrase") return { home, config: { ...config, passphrase: new Secret("sample passphrase, not secret") } };
  if (name !== "v1-keychain") return { home, config };
  const keychain = memoryKeychain();
  const { id } = JSON.parse(readFileSync(join(home, "vault.json"), "utf8"));
  keychain.keys.set(id, new Secret(readFileSync(join(home, "keychain.key"), "utf8").trim()));
  return { home, config, keychain };
}

/** What every name stands for in the workspace, with EVERYWHERE trusted and REMOVED_HERE trusted at that time. */
async function all(vault: Vault, trustedAtMs: number): Promise<Record<string, string>> {
  const names = ["ALL_FIELDS", "PLAIN", "EVERYWHERE", "REMOVED_HERE"];
  const found = await vault.resolve(HERE.id, names, () => trustedAtMs);
  return Object.fromEntries([...found].map(([name, item]) => [name, item.kind === "found" ? item.secret.reveal() : item.kind]));
}

const VALUES = {
  ALL_FIELDS: "sample value with blanks, caf\u00e9",
  PLAIN: "sample-value-plain-1",
  EVERYWHERE: "sample-value-everywhere",
};

test("every folder of samples is known to these tests", () => {
  expect(readdirSync(SAMPLES).filter((name) => name !== "README.md")).toEqual([...WITH_ALL, "v1-recovery"].toSorted());
});

test.each(WITH_ALL)("the sample %s opens, is changed, and opens again", async (name) => {
  const home = sample(name);
  const context = contextOf(name, home);
  using vault = openVault(context);
  expect(await all(vault, 1_764_000_004_999)).toEqual({ ...VALUES, REMOVED_HERE: "untrusted" });
  expect(await all(vault, 1_764_000_005_001)).toEqual({ ...VALUES, REMOVED_HERE: "sample-value-global-one" });
  expect(vault.list(HERE)).toMatchObject([
    {
      name: "ALL_FIELDS",
      binding: {
        hosts: ["https://api.example.com:8443/v1", "*.example.com", "http://localhost:8080"],
        header: "authorization",
        format: "Bearer %s",
        methods: ["GET", "POST"],
      },
      setAtMs: 1_764_000_001_000,
    },
    { name: "PLAIN", binding: { hosts: ["api.example.com", "uploads.example.com"] }, setAtMs: 1_764_000_008_000 },
  ]);
  expect(vault.hasRecovery()).toBe(false);
  expect(await vault.set(HERE, "PLAIN", new Secret("a-newer-value-of-plain"))).toMatchObject({ kind: "replaced" });
  using again = openVault(contextOf(name, home));
  expect(await all(again, 1_764_000_005_001)).toEqual({
    ...VALUES,
    PLAIN: "a-newer-value-of-plain",
    REMOVED_HERE: "sample-value-global-one",
  });
});

test("the backup of a sample opens with the same key, one change earlier", async () => {
  const home = sample("v1-key-file");
  cpSync(join(home, "vault.json.bak"), join(home, "vault.json"));
  using vault = openVault(contextOf("v1-key-file", home));
  expect((await all(vault, 0)).PLAIN).toBe("sample-value-plain-0");
});

test("a vault whose key is lost opens with its recovery key and gets a new key", async () => {
  const home = sample("v1-recovery");
  const recoveryKey = new Secret(readFileSync(join(home, "recovery.key"), "utf8"));
  using vault = openVault({ home, config: { keychain: false } });
  await expect(all(vault, 0)).rejects.toMatchObject({ code: "VAULT_LOCKED", message: expect.stringContaining("secrets rekey --recover") });
  expect(await vault.rekey({ recoveryKey, to: { kind: "key-file" } })).toMatchObject({ to: { kind: "key-file" }, full: false });
  using again = openVault({ home, config: { keychain: false } });
  expect((await all(again, 0)).PLAIN).toBe("sample-value-plain-1");
});

test("tokens and trust of that version are still known", () => {
  const home = sample("v1-key-file");
  const token = readFileSync(join(home, "agents.token"), "utf8").trim();
  expect(openAgentStore(home).verify(token, HERE.id)?.agent).toBe("ops");
  const trust = openTrust(home, { id: HERE.id, realPath: "/sample/workspace" });
  expect([trust.state(), trust.hadAgents()]).toEqual(["known", true]);
  expect(trust.entries()).toEqual([
    { kind: "global-secret", tool: "report", value: globalSecretValue("EVERYWHERE", ["api.example.com"]) },
    { kind: "private-host", tool: "report", value: "192.168.1.20:8080" },
  ]);
});
