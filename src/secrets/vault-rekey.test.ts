import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempDisposableSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryKeychain } from "../../test/support/memory-keychain.ts";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { NewKey } from "./key-change.ts";
import type { KeyConfig, KeyContext } from "./key-source.ts";
import type { KeychainEntry } from "./keychain.ts";
import { openVault, type Vault } from "./vault.ts";
import type { Scope } from "./vault-file.ts";

const HERE: Scope = { kind: "workspace", id: "workspace-1" };
const API = { binding: { hosts: ["api.example.com"] } };
const OWN_FILE = { kind: "key-file" } as const;

function temporaryFolder(): ReturnType<typeof mkdtempDisposableSync> {
  return mkdtempDisposableSync(join(tmpdir(), "rekey-"));
}

function writeKey(path: string): string {
  writeFileSync(path, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  return path;
}

/** A vault with A and B, and its recovery key. */
async function makeVault(context: KeyContext): Promise<Secret> {
  using vault = openVault(context);
  const { recoveryKey } = await vault.set(HERE, "A", new Secret("value-of-a-here"), API);
  await vault.set(HERE, "B", new Secret("value-of-b-here"), API);
  if (recoveryKey === undefined) throw new Error("a new vault has a recovery key");
  return recoveryKey;
}

/** The value of A in the vault, opened anew or by an open one; or the code of the error. */
async function read(opened: KeyContext | Vault): Promise<string> {
  const vault = "home" in opened ? openVault(opened) : opened;
  try {
    const found = (await vault.resolve("workspace-1", ["A"], () => undefined)).get("A");
    return found?.kind === "found" ? found.secret.reveal() : String(found?.kind);
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  } finally {
    if ("home" in opened) vault[Symbol.dispose]();
  }
}

/** What the backup gives when it is put in the vault's place. */
async function readBackup(context: KeyContext): Promise<string> {
  const [path, aside] = [join(context.home, "vault.json"), join(context.home, "aside")];
  renameSync(path, aside);
  copyFileSync(`${path}.bak`, path);
  const outcome = await read(context);
  renameSync(aside, path);
  return outcome;
}

function fileOf(home: string, name = "vault.json"): string {
  return readFileSync(join(home, name), "utf8");
}

test.each([false, true])("a new key opens vault and backup, the one before opens neither (full: %s)", async (full) => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  await makeVault(context);
  using server = openVault(context);
  expect(await read(server)).toBe("value-of-a-here");
  const before = { key: fileOf(folder.path, "master.key"), items: JSON.parse(fileOf(folder.path)).items };
  using vault = openVault(context);
  const report = await vault.rekey({ full });
  expect(report).toEqual({ from: OWN_FILE, to: OWN_FILE, full, advice: [], ...(full ? { recoveryKey: expect.any(Secret) } : {}) });
  const outcomes = [await read(context), await readBackup(context), await read(server), await read(vault)];
  expect(outcomes).toEqual(Array(4).fill("value-of-a-here"));
  expect(JSON.stringify(JSON.parse(fileOf(folder.path)).items) === JSON.stringify(before.items)).toBe(!full);
  expect(JSON.parse(fileOf(folder.path)).items).toMatchObject(before.items.map(({ ct: _, ...rest }: { ct: string }) => rest));
  expect(readdirSync(folder.path).sort()).toEqual(["master.key", "vault.json", "vault.json.bak"]);
  writeFileSync(join(folder.path, "master.key"), before.key);
  expect([await read(context), await readBackup(context)]).toEqual(["VAULT_KEY", "VAULT_KEY"]);
});

test("whoever kept the data key from before reads the file after a new master key, and nothing after a full change", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  const first = await makeVault(context);
  using vault = openVault(context);
  await vault.rekey();
  rmSync(join(folder.path, "master.key"));
  expect(await openVault(context).rekey({ recoveryKey: first, to: OWN_FILE })).toMatchObject({ full: false });
  const { recoveryKey } = await openVault(context).rekey({ full: true });
  if (recoveryKey === undefined) throw new Error("a full change makes a recovery key");
  await expect(openVault(context).rekey({ recoveryKey: first, to: OWN_FILE })).rejects.toMatchObject({ code: "VAULT_KEY" });
  expect(await openVault(context).rekey({ recoveryKey, to: OWN_FILE })).toMatchObject({ to: OWN_FILE });
  expect(await read(context)).toBe("value-of-a-here");
});

test("marks, times and hosts survive a full change of the keys", async () => {
  using folder = temporaryFolder();
  let nowMs = 1_000;
  const context = { home: folder.path, config: { keychain: false }, now: () => nowMs };
  using vault = openVault(context);
  await vault.set({ kind: "global" }, "A", new Secret("global-value-of-a"), API);
  await vault.set(HERE, "A", new Secret("own-value-of-a-x"), API);
  nowMs = 2_000;
  await vault.remove(HERE, "A");
  nowMs = 3_000;
  await vault.rekey({ full: true });
  const at = async (trustedAtMs: number): Promise<string | undefined> =>
    (await vault.resolve("workspace-1", ["A"], () => trustedAtMs)).get("A")?.kind;
  expect([await at(1_500), await at(2_500)]).toEqual(["untrusted", "found"]);
  expect(vault.list()).toEqual([{ scope: { kind: "global" }, name: "A", binding: API.binding, setAtMs: 1_000 }]);
});

/** Every source, with how its vault is opened. `folder` holds the keys that a person keeps. */
const SOURCES: Readonly<Record<NewKey["kind"], (folder: string) => { readonly to: NewKey; readonly config: KeyConfig }>> = {
  "key-file": () => ({ to: OWN_FILE, config: { keychain: false } }),
  keychain: () => ({ to: { kind: "keychain" }, config: { keychain: true } }),
  passphrase: () => {
    const passphrase = new Secret(`correct horse ${randomBytes(4).toString("hex")}`);
    return { to: { kind: "passphrase", passphrase }, config: { keychain: false, passphrase } };
  },
  "own-key-file": (folder) => {
    const path = writeKey(join(folder, `own-${randomBytes(4).toString("hex")}.key`));
    return { to: { kind: "own-key-file", path }, config: { keychain: false, keyFile: path } };
  },
  credential: (folder) => {
    const path = writeKey(join(folder, "toolyard-master-key"));
    return { to: { kind: "credential", path }, config: { keychain: false, credentialsDirectory: folder } };
  },
};

const PAIRS = (["keychain", "passphrase", "own-key-file", "credential"] as const).flatMap((other) => [
  ["key-file", other] as const,
  [other, "key-file"] as const,
]);

test.each([...PAIRS, ["passphrase", "passphrase"], ["own-key-file", "own-key-file"], ["keychain", "keychain"]] as const)(
  "the key moves from %s to %s: only the new source opens the vault, and toolyard's own old key is gone",
  async (from, to) => {
    using folder = temporaryFolder();
    const home = join(folder.path, "home");
    const keychain = memoryKeychain();
    const old = { home, keychain, config: SOURCES[from](folder.path).config };
    await makeVault(old);
    const keysBefore = readdirSync(folder.path);
    const target = SOURCES[to](folder.path);
    using vault = openVault(old);
    const report = await vault.rekey({ to: target.to });
    expect([report.from.kind, report.to.kind]).toEqual([from, to].map((kind) => (kind === "own-key-file" ? "key-file" : kind)));
    expect(await read(vault)).toBe("value-of-a-here");
    const now = { home, keychain, config: target.config };
    expect([await read(now), await readBackup(now)]).toEqual(["value-of-a-here", "value-of-a-here"]);
    expect(readdirSync(home).sort()).toEqual([...(to === "key-file" ? ["master.key"] : []), "vault.json", "vault.json.bak"]);
    expect(keychain.keys.size).toBe(to === "keychain" ? 1 : 0);
    expect(keysBefore.every((name) => readdirSync(folder.path).includes(name))).toBe(true);
    // What a person keeps has to be looked after by the person.
    const isPersonal = to === "passphrase" || to === "own-key-file" || to === "credential" || from === "own-key-file";
    expect(report.advice.length > 0).toBe(isPersonal);
    // The old key, where it still is, is of no use without the new one.
    rmSync(join(home, "master.key"), { force: true });
    keychain.keys.clear();
    expect(["VAULT_LOCKED", "VAULT_KEY"]).toContain(await read(old));
  },
  // Argon2id takes memory and time, and other tests run beside it.
  30_000,
);

test("a new key from the same source has to be brought where toolyard does not keep it", async () => {
  using folder = temporaryFolder();
  for (const from of ["passphrase", "own-key-file", "credential"] as const) {
    const home = join(folder.path, from);
    const context = { home, config: SOURCES[from](folder.path).config };
    await makeVault(context);
    const before = fileOf(home);
    await expect(openVault(context).rekey()).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(fileOf(home)).toBe(before);
  }
});

test("a key that is brought and cannot be used changes nothing", async () => {
  using folder = temporaryFolder();
  const context = { home: join(folder.path, "home"), config: { keychain: false } };
  await makeVault(context);
  const before = readdirSync(context.home).map((name) => fileOf(context.home, name));
  const unreadable = join(folder.path, "open.key");
  writeFileSync(unreadable, `${randomBytes(32).toString("base64")}\n`, { mode: 0o644 });
  writeFileSync(join(folder.path, "short.key"), "c2hvcnQ=\n", { mode: 0o600 });
  for (const [to, code] of [
    [{ kind: "passphrase", passphrase: new Secret("short") }, "VAULT_KEY"],
    [{ kind: "own-key-file", path: join(folder.path, "none") }, "VAULT_LOCKED"],
    [{ kind: "own-key-file", path: unreadable }, "VAULT_LOCKED"],
    [{ kind: "credential", path: join(folder.path, "short.key") }, "VAULT_KEY"],
  ] as const) {
    await expect(openVault(context).rekey({ to }), code).rejects.toMatchObject({ code });
  }
  expect(readdirSync(context.home).map((name) => fileOf(context.home, name))).toEqual(before);
});

test("without a vault there is nothing to change, and nothing is made", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  using vault = openVault(context);
  expect(vault.hasRecovery()).toBeUndefined();
  await expect(vault.rekey()).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(vault.newRecoveryKey()).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(readdirSync(folder.path)).toEqual([]);
});

test("a change that stopped before the vault was written leaves the key in force, and the next write clears up", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  await makeVault(context);
  const key = fileOf(folder.path, "master.key");
  writeKey(join(folder.path, "master.key.next"));
  expect(await read(context)).toBe("value-of-a-here");
  await openVault(context).set(HERE, "B", new Secret("value-of-b-again"));
  expect([fileOf(folder.path, "master.key"), readdirSync(folder.path).sort()]).toEqual([
    key,
    ["master.key", "vault.json", "vault.json.bak"],
  ]);
});

test("a change that stopped after the vault was written opens with the key to come, and the next write puts it in place", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  await makeVault(context);
  const path = join(folder.path, "master.key");
  copyFileSync(path, join(folder.path, "before"));
  await openVault(context).rekey();
  renameSync(path, `${path}.next`);
  expect(await read(context)).toBe("value-of-a-here");
  renameSync(join(folder.path, "before"), path);
  expect([await read(context), await readBackup(context)]).toEqual(["value-of-a-here", "value-of-a-here"]);
  const next = fileOf(folder.path, "master.key.next");
  await openVault(context).rename(HERE, "B", "C");
  expect([fileOf(folder.path, "master.key"), readdirSync(folder.path).sort()]).toEqual([
    next,
    ["master.key", "vault.json", "vault.json.bak"],
  ]);
  expect(await read(context)).toBe("value-of-a-here");
});

test("a keychain that fails at any step of a change leaves a vault that opens, and the next change finishes it", async () => {
  for (const step of [1, 2, 3, 4]) {
    using folder = temporaryFolder();
    const keychain = memoryKeychain();
    const context = { home: folder.path, keychain, config: { keychain: true } };
    await makeVault(context);
    let left = step;
    const fail = <Args extends readonly unknown[], Result>(
      run: (...args: Args) => Promise<Result>,
    ): ((...args: Args) => Promise<Result>) => {
      return async (...args) => {
        left--;
        if (left === 0) throw new ToolError("VAULT_LOCKED", "The keychain went away.");
        return run(...args);
      };
    };
    const failing = {
      ...keychain,
      read: async (id: string) => keychain.read(id),
      write: fail((id: string, entry: KeychainEntry, key: Secret) => keychain.write(id, entry, key)),
      remove: fail((id: string, entry: KeychainEntry) => keychain.remove(id, entry)),
    };
    const outcome = await openVault({ ...context, keychain: failing })
      .rekey()
      .then(
        ({ advice }) => advice.length,
        (error: unknown) => (error instanceof ToolError ? error.code : "other"),
      );
    expect(outcome, `step ${step}`).toBe([undefined, "VAULT_LOCKED", 1, 1, 0][step]);
    expect(await read(context), `step ${step}`).toBe("value-of-a-here");
    await openVault(context).set(HERE, "B", new Secret("value-of-b-again"));
    expect(await read(context), `step ${step}`).toBe("value-of-a-here");
    await openVault(context).rekey();
    expect([await read(context), keychain.keys.size]).toEqual(["value-of-a-here", 1]);
  }
});

test("a keychain that takes a key and does not keep it changes nothing", async () => {
  using folder = temporaryFolder();
  const keychain = memoryKeychain();
  const context = { home: folder.path, config: { keychain: false } };
  await makeVault(context);
  const before = [fileOf(folder.path), fileOf(folder.path, "master.key")];
  const forgetful = { ...keychain, read: async () => ({}) };
  await expect(openVault({ ...context, keychain: forgetful }).rekey({ to: { kind: "keychain" } })).rejects.toMatchObject({
    code: "VAULT_LOCKED",
  });
  expect([fileOf(folder.path), fileOf(folder.path, "master.key")]).toEqual(before);
});

test("two changes of the key at once: one is done, the other is refused or done after it, and the vault opens", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  await makeVault(context);
  const outcomes = await Promise.allSettled([openVault(context).rekey(), openVault(context).rekey({ full: true })]);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused.every(({ reason }) => reason instanceof ToolError && reason.code === "STORE_ERROR")).toBe(true);
  expect(refused.length).toBeLessThan(2);
  expect([await read(context), await readBackup(context)]).toEqual(["value-of-a-here", "value-of-a-here"]);
});

test("a server that read the vault right before a change of the key gets the value, not an error", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: true }, keychain: memoryKeychain() };
  await makeVault(context);
  const { keychain } = context;
  let isFirst = true;
  const slow = {
    ...keychain,
    // The server has read the file; before it gets the key, another process changes both.
    read: async (id: string) => {
      if (isFirst) {
        isFirst = false;
        await openVault(context).rekey();
      }
      return keychain.read(id);
    },
  };
  expect(await read({ ...context, keychain: slow })).toBe("value-of-a-here");
  expect(isFirst).toBe(false);
});

test("the recovery key opens a vault whose key is lost, is in no file, and is another one after it was made anew", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  const first = await makeVault(context);
  for (const name of readdirSync(folder.path)) {
    const content = fileOf(folder.path, name);
    expect(content.includes(first.reveal()) || content.includes(first.reveal().replaceAll("-", ""))).toBe(false);
  }
  rmSync(join(folder.path, "master.key"));
  expect(await read(context)).toBe("VAULT_LOCKED");
  await expect(openVault(context).rekey({ recoveryKey: first })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await openVault(context).rekey({ recoveryKey: first, to: OWN_FILE });
  expect(await read(context)).toBe("value-of-a-here");
  const second = await openVault(context).newRecoveryKey();
  expect(openVault(context).hasRecovery()).toBe(true);
  for (const name of ["vault.json", "vault.json.bak"]) {
    copyFileSync(join(folder.path, name), join(folder.path, "vault.json"));
    await expect(openVault(context).rekey({ recoveryKey: first, to: OWN_FILE })).rejects.toMatchObject({ code: "VAULT_KEY" });
  }
  expect(await openVault(context).rekey({ recoveryKey: second, to: OWN_FILE, full: true })).toMatchObject({ full: true });
  expect(await read(context)).toBe("value-of-a-here");
});

test("recovering keeps a key file that belongs to something else, and names it", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  const recoveryKey = await makeVault(context);
  const path = writeKey(join(folder.path, "master.key"));
  const other = readFileSync(path, "utf8");
  expect(await read(context)).toBe("VAULT_KEY");
  const { advice } = await openVault(context).rekey({ recoveryKey, to: OWN_FILE });
  expect(await read(context)).toBe("value-of-a-here");
  const kept = readdirSync(folder.path).filter((name) => name.endsWith(".kept"));
  expect(kept.map((name) => fileOf(folder.path, name))).toEqual([other]);
  expect(advice).toEqual([expect.stringContaining(kept[0] ?? "nothing")]);
});

test("a vault whose keychain is gone gets another key by its recovery key, and a key file of something else is left alone", async () => {
  using folder = temporaryFolder();
  const keychain = memoryKeychain();
  const recoveryKey = await makeVault({ home: folder.path, keychain, config: { keychain: true } });
  const gone = async (): Promise<never> => {
    throw new ToolError("VAULT_LOCKED", "There is no keychain here.");
  };
  const context = { home: folder.path, config: { keychain: false }, keychain: { read: gone, write: gone, remove: gone } };
  const { advice } = await openVault(context).rekey({ recoveryKey, to: OWN_FILE });
  expect(advice).toEqual([expect.stringContaining("keychain")]);
  expect(await read(context)).toBe("value-of-a-here");
  const path = writeKey(join(folder.path, "master.key"));
  const other = readFileSync(path, "utf8");
  const keyFile = writeKey(join(folder.path, "own.key"));
  await openVault(context).rekey({ recoveryKey, to: { kind: "own-key-file", path: keyFile } });
  expect([readFileSync(path, "utf8"), await read({ ...context, config: { keychain: false, keyFile } })]).toEqual([
    other,
    "value-of-a-here",
  ]);
});

test("a key file that is lost while another change left its own behind is no hindrance to recovery or to an open vault", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  const recoveryKey = await makeVault(context);
  using open = openVault(context);
  expect(await read(open)).toBe("value-of-a-here");
  rmSync(join(folder.path, "master.key"));
  writeKey(join(folder.path, "master.key.next"));
  expect(await open.set(HERE, "B", new Secret("value-of-b-again"))).toMatchObject({ kind: "replaced" });
  await openVault(context).rekey({ recoveryKey, to: OWN_FILE });
  expect([await read(context), readdirSync(folder.path).sort()]).toEqual([
    "value-of-a-here",
    ["master.key", "vault.json", "vault.json.bak"],
  ]);
});
