import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { globalSecretValue, openTrust, type Trust, type TrustEntry } from "../../src/policy/trust-store.ts";
import { type CallSecrets, resolveCallSecrets, type WorkspaceStanding } from "../../src/secrets/call-secrets.ts";
import { parseHeaderTemplate } from "../../src/secrets/header-template.ts";
import { openVault, type Vault } from "../../src/secrets/vault.ts";

const ID = "workspace-1";
const tool = { tool: "t", headers: [parseHeaderTemplate({ name: "Authorization", value: "Bearer {{TOKEN}}" })] };
const binding = { hosts: ["api.example.com"] };

function standing(trust: Trust): WorkspaceStanding {
  const kind = trust.state();
  return kind === "known" ? { kind, id: ID } : { kind };
}

function globalEntry(hosts: readonly string[]): TrustEntry {
  return { kind: "global-secret", tool: "t", value: globalSecretValue("TOKEN", hosts) };
}

/** A call of tool "t" in a workspace, put together as the engine does it. */
function call(vault: Vault, trust: Trust, workspace = standing(trust)): Promise<CallSecrets> {
  return resolveCallSecrets(tool, { vault, workspace, trustedGlobal: (_, { hosts }) => trust.trustedAtMs(globalEntry(hosts)) });
}

test("a copied .toolyard/id gives another folder no secret and no trust", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "home-"));
  using vault = openVault({ home: home.path, config: { keychain: false } });
  const original = openTrust(home.path, { id: ID, realPath: "/work/original" });
  const entry: TrustEntry = { kind: "private-host", tool: "t", value: "127.0.0.1:9000" };
  await vault.set({ kind: "workspace", id: ID }, "TOKEN", new Secret("canary-value"), { binding });
  await original.add([entry]);
  expect((await call(vault, original)).names).toEqual(["TOKEN"]);

  const copy = openTrust(home.path, { id: ID, realPath: "/downloads/copy" });
  // Believing the id alone, as if nobody had asked where the folder is, would give the secret away.
  expect((await call(vault, copy, { kind: "known", id: ID })).names).toEqual(["TOKEN"]);
  await expect(call(vault, copy)).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  expect([copy.has(entry), copy.entries()]).toEqual([false, []]);
  // The original is not harmed by its copy.
  expect([original.state(), original.has(entry)]).toEqual(["known", true]);
});

test("a folder nobody confirmed has no secrets, even if the vault has some under its id", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "home-"));
  using vault = openVault({ home: home.path, config: { keychain: false } });
  await vault.set({ kind: "workspace", id: ID }, "TOKEN", new Secret("canary-value"), { binding });
  const stranger = openTrust(home.path, { id: ID, realPath: "/downloads/stranger" });
  await expect(call(vault, stranger)).rejects.toMatchObject({ code: "SECRET_MISSING" });
});

test("a global secret waits for trust, for each tool, and again when its hosts change", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "home-"));
  using vault = openVault({ home: home.path, config: { keychain: false } });
  const trust = openTrust(home.path, { id: ID, realPath: "/work/original" });
  await trust.adopt();
  await vault.set({ kind: "global" }, "TOKEN", new Secret("canary-value"), { binding });
  await expect(call(vault, trust)).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  await trust.add([{ ...globalEntry(binding.hosts), tool: "another" }]);
  await expect(call(vault, trust)).rejects.toMatchObject({ code: "NOT_TRUSTED" });
  await trust.add([globalEntry(binding.hosts)]);
  expect((await call(vault, trust)).names).toEqual(["TOKEN"]);

  await vault.remove({ kind: "global" }, "TOKEN");
  await vault.set({ kind: "global" }, "TOKEN", new Secret("canary-value"), { binding: { hosts: [...binding.hosts, "other.example.com"] } });
  await expect(call(vault, trust)).rejects.toMatchObject({ code: "NOT_TRUSTED" });
});
