import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryKeychain } from "../../test/support/memory-keychain.ts";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { KeyContext } from "./key-source.ts";
import { openVault } from "./vault.ts";
import type { Scope } from "./vault-file.ts";

const HERE: Scope = { kind: "workspace", id: "workspace-1" };
const API = { binding: { hosts: ["api.example.com"] } };

function temporaryFolder(): ReturnType<typeof mkdtempDisposableSync> {
  return mkdtempDisposableSync(join(tmpdir(), "key-"));
}

function writeKey(path: string, text = `${randomBytes(32).toString("base64")}\n`): string {
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function gone(path: string): string {
  rmSync(path);
  return path;
}

function movedAside(path: string): string {
  renameSync(path, `${path}.aside`);
  return `${path}.aside`;
}

/** Stores a secret in a vault opened so; gives the kind of source that was recorded. */
async function store(context: KeyContext): Promise<string> {
  using vault = openVault(context);
  return (await vault.set(HERE, "TOKEN", new Secret("value-of-token"), API)).keySource.kind;
}

/** The value in a vault opened so, or the code of the error. */
async function read(context: KeyContext & { readonly now?: () => number }): Promise<string> {
  using vault = openVault(context);
  try {
    const found = (await vault.resolve("workspace-1", ["TOKEN"], () => undefined)).get("TOKEN");
    return found?.kind === "found" ? found.secret.reveal() : String(found?.kind);
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

test("at first use the first configured source is taken, in the order key file, credential, passphrase, keychain, made key file", async () => {
  using folder = temporaryFolder();
  const keyFile = writeKey(join(folder.path, "my.key"));
  writeKey(join(folder.path, "toolyard-master-key"));
  const all = { keyFile, credentialsDirectory: folder.path, passphrase: new Secret("correct horse battery"), keychain: true };
  const { keyFile: _1, ...withoutFile } = all;
  const { credentialsDirectory: _2, ...withoutCredential } = withoutFile;
  const { passphrase: _3, ...withoutPassphrase } = withoutCredential;
  const kinds: string[] = [];
  for (const [index, config] of [all, withoutFile, withoutCredential, withoutPassphrase, { keychain: false }].entries()) {
    kinds.push(await store({ home: join(folder.path, String(index)), config, keychain: memoryKeychain() }));
  }
  expect(kinds).toEqual(["key-file", "credential", "passphrase", "keychain", "key-file"]);
});

test("a service's credentials that are not for us do not count as configured", async () => {
  using folder = temporaryFolder();
  writeKey(join(folder.path, "somebody-elses-key"));
  expect(await store({ home: join(folder.path, "home"), config: { credentialsDirectory: folder.path, keychain: false } })).toBe("key-file");
});

test("the recorded source stays: another configured one neither opens the vault nor replaces its key", async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, "home");
  const keychain = memoryKeychain();
  await store({ home, config: { keychain: true }, keychain });
  const before = readFileSync(join(home, "vault.json"), "utf8");
  const config = { keyFile: writeKey(join(folder.path, "my.key")), passphrase: new Secret("correct horse battery"), keychain: false };
  expect(await read({ home, config, keychain })).toBe("value-of-token");
  keychain.keys.clear();
  expect(await read({ home, config, keychain })).toBe("VAULT_LOCKED");
  using vault = openVault({ home, config, keychain });
  await expect(vault.set(HERE, "OTHER", new Secret("value-of-other"), API)).rejects.toMatchObject({ code: "VAULT_LOCKED" });
  expect([readFileSync(join(home, "vault.json"), "utf8"), keychain.keys.size]).toEqual([before, 0]);
});

test("a lost key file is said, and no new one is made while there is a vault", async () => {
  using folder = temporaryFolder();
  const context = { home: folder.path, config: { keychain: false } };
  await store(context);
  rmSync(join(folder.path, "master.key"));
  expect(await read(context)).toBe("VAULT_LOCKED");
  await expect(store(context)).rejects.toMatchObject({ code: "VAULT_LOCKED" });
  writeKey(join(folder.path, "master.key"));
  expect(await read(context)).toBe("VAULT_KEY");
});

test("a key file left by an interrupted first use is used", async () => {
  using folder = temporaryFolder();
  writeKey(join(folder.path, "master.key"));
  const before = readFileSync(join(folder.path, "master.key"), "utf8");
  await store({ home: folder.path, config: { keychain: false } });
  expect(readFileSync(join(folder.path, "master.key"), "utf8")).toBe(before);
});

test.each([
  ["readable by the group", (path: string) => chmodSync(path, 0o640), "VAULT_LOCKED"],
  ["readable by others", (path: string) => chmodSync(path, 0o604), "VAULT_LOCKED"],
  ["missing", (path: string) => rmSync(path), "VAULT_LOCKED"],
  ["a folder", (path: string) => mkdirSync(gone(path)), "VAULT_LOCKED"],
  ["a pipe", (path: string) => execFileSync("mkfifo", ["-m", "600", gone(path)]), "VAULT_LOCKED"],
  ["too large", (path: string) => writeKey(path, "x".repeat(5_000)), "VAULT_LOCKED"],
  ["a symbolic link to the right key", (path: string) => symlinkSync(movedAside(path), path), "VAULT_LOCKED"],
  ["empty", (path: string) => writeKey(path, ""), "VAULT_KEY"],
  ["too short a key", (path: string) => writeKey(path, randomBytes(31).toString("base64")), "VAULT_KEY"],
  ["not quite base64", (path: string) => writeKey(path, `${randomBytes(32).toString("base64")} `), "VAULT_KEY"],
  ["another key", (path: string) => writeKey(path), "VAULT_KEY"],
])("a key file that is %s does not open the vault", async (_, spoil, code) => {
  using folder = temporaryFolder();
  const keyFile = writeKey(join(folder.path, "my.key"));
  const context = { home: join(folder.path, "home"), config: { keyFile, keychain: false } };
  await store(context);
  expect(await read(context)).toBe("value-of-token");
  spoil(keyFile);
  expect(await read(context)).toBe(code);
});

// Only root can give a file away.
test.skipIf(process.geteuid?.() !== 0)("a key file of another user does not open the vault", async () => {
  using folder = temporaryFolder();
  const keyFile = writeKey(join(folder.path, "my.key"));
  const context = { home: join(folder.path, "home"), config: { keyFile, keychain: false } };
  await store(context);
  chownSync(keyFile, 65_534, 65_534);
  expect(await read(context)).toBe("VAULT_LOCKED");
});

test("a key or passphrase file inside the workspace is refused, also through a link to the folder", async () => {
  using folder = temporaryFolder();
  const workspaceRoot = join(folder.path, "workspace");
  mkdirSync(join(workspaceRoot, "deep"), { recursive: true });
  symlinkSync(join(workspaceRoot, "deep"), join(folder.path, "alias"));
  const inside = writeKey(join(workspaceRoot, "deep", "my.key"));
  const home = join(folder.path, "home");
  for (const config of [{ keyFile: inside }, { keyFile: join(folder.path, "alias", "my.key") }, { passphraseFile: inside }]) {
    await expect(store({ home, config: { ...config, keychain: false }, workspaceRoot })).rejects.toMatchObject({ code: "VAULT_LOCKED" });
  }
  expect(await store({ home, config: { keyFile: writeKey(join(folder.path, "my.key")), keychain: false }, workspaceRoot })).toBe(
    "key-file",
  );
});

test("the right passphrase opens the vault, from environment, file or prompt; a wrong one or none does not", async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, "home");
  const passphrase = new Secret("correct horse battery");
  expect(await store({ home, config: { passphrase, keychain: false } })).toBe("passphrase");
  const passphraseFile = writeKey(join(folder.path, "passphrase"), "correct horse battery\n");
  const wrong = new Secret("correct horse batterz");
  const config = { keychain: false };
  expect(await read({ home, config: { ...config, passphrase } })).toBe("value-of-token");
  expect(await read({ home, config: { ...config, passphraseFile, passphrase: wrong } })).toBe("value-of-token");
  expect(await read({ home, config, prompt: async () => passphrase })).toBe("value-of-token");
  expect(await read({ home, config: { ...config, passphrase: wrong } })).toBe("VAULT_KEY");
  expect(await read({ home, config })).toBe("VAULT_LOCKED");
});

test("a wrong passphrase is not remembered: the next one that is right opens the vault", async () => {
  using folder = temporaryFolder();
  const home = join(folder.path, "home");
  const passphraseFile = writeKey(join(folder.path, "passphrase"), "correct horse battery\n");
  await store({ home, config: { passphraseFile, keychain: false } });
  writeKey(passphraseFile, "correct horse batterz\n");
  let nowMs = 1_000;
  using vault = openVault({ home, config: { passphraseFile, keychain: false }, now: () => nowMs });
  const resolve = (): Promise<unknown> => vault.resolve("workspace-1", ["TOKEN"], () => undefined);
  await expect(resolve()).rejects.toMatchObject({ code: "VAULT_KEY" });
  writeKey(passphraseFile, "correct horse battery\n");
  // Not tried again at once: every try costs 64 MiB and half a second, and a server may get many calls.
  await expect(resolve()).rejects.toMatchObject({ code: "VAULT_KEY" });
  nowMs += 5_000;
  await expect(resolve()).resolves.toBeInstanceOf(Map);
});

test("a short passphrase is refused for a new vault", async () => {
  using folder = temporaryFolder();
  const config = { passphrase: new Secret("short"), keychain: false };
  await expect(store({ home: folder.path, config })).rejects.toMatchObject({ code: "VAULT_KEY" });
});

test("many calls that wait for the keychain ask it once", async () => {
  using folder = temporaryFolder();
  const keychain = memoryKeychain();
  const context = { home: folder.path, config: { keychain: true }, keychain };
  await store(context);
  using vault = openVault(context);
  await Promise.all(Array.from({ length: 20 }, () => vault.resolve("workspace-1", ["TOKEN"], () => undefined)));
  expect(keychain.reads).toBe(1);
});
