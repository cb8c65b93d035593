import { existsSync, mkdtempDisposableSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { openVault, type Vault } from "./vault.ts";
import type { Scope } from "./vault-file.ts";

const HERE: Scope = { kind: "workspace", id: "workspace-1" };
const THERE: Scope = { kind: "workspace", id: "workspace-2" };
const GLOBAL: Scope = { kind: "global" };
const API = { binding: { hosts: ["api.example.com"] } };
const nobody = (): undefined => undefined;

function temporaryHome(): ReturnType<typeof mkdtempDisposableSync> {
  return mkdtempDisposableSync(join(tmpdir(), "vault-"));
}

function open(home: string): Vault {
  return openVault({ home, config: { keychain: false } });
}

/** The value a name stands for, or the kind of its absence. */
async function value(
  vault: Vault,
  name: string,
  { workspaceId = "workspace-1", trustedAtMs }: { workspaceId?: string; trustedAtMs?: number } = {},
): Promise<string> {
  const found = (await vault.resolve(workspaceId, [name], () => trustedAtMs)).get(name);
  return found?.kind === "found" ? found.secret.reveal() : (found?.kind ?? "absent");
}

test("a stored secret comes back with its binding, in its workspace only", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  expect(await vault.set(HERE, "TOKEN", new Secret("value-of-token\n"), API)).toEqual({
    kind: "stored",
    binding: { hosts: ["api.example.com"] },
    keySource: { kind: "key-file" },
    madeKeyFile: join(home.path, "master.key"),
    recoveryKey: expect.any(Secret),
  });
  using other = open(home.path);
  const found = (await other.resolve("workspace-1", ["TOKEN", "OTHER"], nobody)).get("TOKEN");
  expect(found).toMatchObject({ kind: "found", scope: HERE, binding: { hosts: ["api.example.com"] } });
  expect(await value(other, "TOKEN")).toBe("value-of-token");
  expect(await value(other, "OTHER")).toBe("missing");
  expect(await value(other, "TOKEN", { workspaceId: "workspace-2" })).toBe("missing");
  expect((await other.resolve(undefined, ["TOKEN"], nobody)).get("TOKEN")).toEqual({ kind: "missing" });
});

test("nothing is made by asking a vault that does not exist", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  expect([await value(vault, "TOKEN"), vault.list(), vault.keySource(), await vault.remove(HERE, "TOKEN")]).toEqual([
    "missing",
    [],
    undefined,
    { removed: false, globalExists: false },
  ]);
  await expect(vault.set(HERE, "TOKEN", new Secret("value-of-token"))).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(vault.set(HERE, "token", new Secret("value-of-token"), API)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(vault.set(HERE, "TOKEN", new Secret("short"), API)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(readdirSync(home.path)).toEqual([]);
});

test("setting a known name again replaces the value and keeps the hosts; other hosts are refused", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(HERE, "TOKEN", new Secret("value-of-token"), API);
  expect(await vault.set(HERE, "TOKEN", new Secret("second-value"))).toMatchObject({ kind: "replaced", binding: API.binding });
  expect(await vault.set(HERE, "TOKEN", new Secret("third-value"), API)).toMatchObject({ kind: "replaced" });
  await expect(vault.set(HERE, "TOKEN", new Secret("fourth-value"), { binding: { hosts: ["evil.example"] } })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
  expect(await value(vault, "TOKEN")).toBe("third-value");
});

test("a change by another process is in force on the next use of an open vault", async () => {
  using home = temporaryHome();
  using server = open(home.path);
  using command = open(home.path);
  const seen: string[] = [await value(server, "TOKEN")];
  for (const text of ["value-number-1", "value-number-2"]) {
    await command.set(HERE, "TOKEN", new Secret(text), API);
    seen.push(await value(server, "TOKEN"));
  }
  await command.remove(HERE, "TOKEN");
  seen.push(await value(server, "TOKEN"));
  expect(seen).toEqual(["missing", "value-number-1", "value-number-2", "missing"]);
});

test("the list has names, hosts and times of one scope or all, and needs no key", async () => {
  using home = temporaryHome();
  using vault = openVault({ home: home.path, config: { keychain: false }, now: () => 5 });
  await vault.set(THERE, "B", new Secret("value-of-b"), API);
  await vault.set(HERE, "B", new Secret("value-of-b"), API);
  await vault.set(HERE, "A", new Secret("value-of-a"), API);
  await vault.set(GLOBAL, "C", new Secret("value-of-c"), API);
  rmSync(join(home.path, "master.key"));
  using locked = open(home.path);
  const row = (scope: Scope, name: string): object => ({ scope, name, binding: API.binding, setAtMs: 5 });
  expect(locked.list()).toEqual([row(GLOBAL, "C"), row(HERE, "A"), row(HERE, "B"), row(THERE, "B")]);
  expect(locked.list(HERE)).toEqual([row(HERE, "A"), row(HERE, "B")]);
  await expect(locked.resolve("workspace-1", ["A"], nobody)).rejects.toMatchObject({ code: "VAULT_LOCKED" });
  await expect(locked.resolve("workspace-1", [], nobody)).resolves.toEqual(new Map());
});

test("a global secret is used only where trusted, and the workspace's own wins over it", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(GLOBAL, "TOKEN", new Secret("global-value"), API);
  expect(await value(vault, "TOKEN")).toBe("untrusted");
  expect(await value(vault, "TOKEN", { trustedAtMs: 1 })).toBe("global-value");
  await vault.set(HERE, "TOKEN", new Secret("own-value"), API);
  expect(await value(vault, "TOKEN", { trustedAtMs: 1 })).toBe("own-value");
});

test("removing a workspace's own secret never brings back a global one that was trusted before", async () => {
  using home = temporaryHome();
  let nowMs = 1_000;
  using vault = openVault({ home: home.path, config: { keychain: false }, now: () => nowMs });
  await vault.set(GLOBAL, "TOKEN", new Secret("global-value"), API);
  await vault.set(HERE, "TOKEN", new Secret("own-value"), API);
  nowMs = 2_000;
  expect(await vault.remove(HERE, "TOKEN")).toEqual({ removed: true, globalExists: true });
  expect(await value(vault, "TOKEN", { trustedAtMs: 1_500 })).toBe("untrusted");
  expect(await value(vault, "TOKEN", { trustedAtMs: 2_500 })).toBe("global-value");
  expect(vault.list(HERE)).toEqual([]);
  // The mark is no secret: a new one needs its hosts, and takes its place.
  await expect(vault.set(HERE, "TOKEN", new Secret("own-value"))).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(await vault.set(HERE, "TOKEN", new Secret("own-value"), API)).toMatchObject({ kind: "stored" });
});

test('a workspace whose id is "global" gets no global secrets by that', async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(GLOBAL, "TOKEN", new Secret("global-value"), API);
  await expect(vault.resolve("global", ["TOKEN"], nobody)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(vault.resolve("../../x", ["TOKEN"], nobody)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(await value(vault, "TOKEN", { workspaceId: "global-1" })).toBe("untrusted");
});

test("a removed secret is gone from the file and from the backup", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(HERE, "KEPT", new Secret("value-of-kept"), API);
  await vault.set(HERE, "TOKEN", new Secret("value-of-token"), API);
  expect(await vault.remove(HERE, "TOKEN")).toEqual({ removed: true, globalExists: false });
  for (const name of ["vault.json", "vault.json.bak"]) expect(readFileSync(join(home.path, name), "utf8"), name).not.toContain("TOKEN");
  expect(await value(vault, "KEPT")).toBe("value-of-kept");
});

test("values of 64 KiB and all characters a header can carry survive", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
    .filter((character) => /[\t\x20-\x7e\x80-\xff]/.test(character))
    .join("")
    .replace(/^[\t ]+/, (blanks) => `x${blanks}`);
  const long = "x".repeat(65_536);
  await vault.set(HERE, "ALL", new Secret(all), API);
  await vault.set(HERE, "LONG", new Secret(long), API);
  using other = open(home.path);
  expect([await value(other, "ALL"), await value(other, "LONG")]).toEqual([all, long]);
});

test("vault, backup and key are for their owner only, in a folder for the owner only", async () => {
  using home = temporaryHome();
  const folder = join(home.path, "toolyard");
  using vault = open(folder);
  await vault.set(HERE, "A", new Secret("value-of-a"), API);
  await vault.set(HERE, "B", new Secret("value-of-b"), API);
  expect(readdirSync(folder).sort()).toEqual(["master.key", "vault.json", "vault.json.bak"]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("no plain value is in any file, log text or JSON form", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(HERE, "TOKEN", new Secret("canary-value-7"), API);
  await vault.set(HERE, "TOKEN", new Secret("canary-value-8"));
  const texts = readdirSync(home.path).map((name) => readFileSync(join(home.path, name), "latin1"));
  const found = await vault.resolve("workspace-1", ["TOKEN"], nobody);
  const all = [...texts, JSON.stringify([...found]), String([...found]), JSON.stringify(vault)].join("\n");
  for (const form of ["canary-value", Buffer.from("canary-value-8").toString("base64"), Buffer.from("canary-value-8").toString("hex")])
    expect(all).not.toContain(form);
});

test("a vault that is gone while its backup is there is not silently begun anew", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  await vault.set(HERE, "A", new Secret("value-of-a"), API);
  await vault.set(HERE, "B", new Secret("value-of-b"), API);
  rmSync(join(home.path, "vault.json"));
  await expect(vault.resolve("workspace-1", ["A"], nobody)).rejects.toMatchObject({ code: "STORE_ERROR" });
  await expect(vault.set(HERE, "C", new Secret("value-of-c"), API)).rejects.toMatchObject({ code: "STORE_ERROR" });
  renameSync(join(home.path, "vault.json.bak"), join(home.path, "vault.json"));
  expect(await value(vault, "A")).toBe("value-of-a");
});

test("a newer format is refused with the version that reads it, and left as it is", async () => {
  using home = temporaryHome();
  using vault = open(home.path);
  const text = JSON.stringify({ format: "toolyard-vault", v: 2, needs: "0.9.0", anything: true });
  writeFileSync(join(home.path, "vault.json"), text, { mode: 0o600 });
  const refusal = { code: "FILE_VERSION", message: expect.stringContaining("toolyard 0.9.0") };
  await expect(vault.resolve("workspace-1", ["A"], nobody)).rejects.toMatchObject(refusal);
  await expect(vault.set(HERE, "A", new Secret("value-of-a"), API)).rejects.toMatchObject(refusal);
  expect(readFileSync(join(home.path, "vault.json"), "utf8")).toBe(text);
  expect(existsSync(join(home.path, "master.key"))).toBe(false);
});

test("after disposing, the key is asked for again", async () => {
  using home = temporaryHome();
  const vault = open(home.path);
  await vault.set(HERE, "A", new Secret("value-of-a"), API);
  rmSync(join(home.path, "master.key"));
  expect(await value(vault, "A")).toBe("value-of-a");
  vault[Symbol.dispose]();
  await expect(vault.resolve("workspace-1", ["A"], nobody)).rejects.toMatchObject({ code: "VAULT_LOCKED" });
});
