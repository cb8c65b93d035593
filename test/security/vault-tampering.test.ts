import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import { openVault } from "../../src/secrets/vault.ts";
import { deriveKey, macOf, seal, unseal } from "../../src/secrets/vault-crypto.ts";
import {
  itemAad,
  itemKey,
  macText,
  parseVault,
  serializeVault,
  type VaultFile,
  type VaultItem,
  wrapAad,
} from "../../src/secrets/vault-file.ts";

const here = { kind: "workspace", id: "workspace-1" } as const;
const there = { kind: "workspace", id: "workspace-2" } as const;
const binding = { hosts: ["api.example.com"], header: "authorization", format: "Bearer %s", methods: ["GET"] };

type StoredItem = VaultItem & { readonly kind: "secret" };

/** A vault with two secrets here and one there, and its text. */
async function makeVault(home: string): Promise<{ readonly path: string; readonly text: string; readonly file: VaultFile }> {
  using vault = openVault({ home, config: { keychain: false } });
  await vault.set(here, "A", new Secret("value-of-a"), { binding });
  await vault.set(here, "B", new Secret("value-of-b"), { binding: { hosts: ["b.example.com"] } });
  await vault.set(there, "A", new Secret("value-there"), { binding });
  const path = join(home, "vault.json");
  const text = readFileSync(path, "utf8");
  return { path, text, file: parseVault(text) };
}

/** What opening the vault and reading A and B here ends with: "opened", or the code of the error. */
async function outcome(home: string, path: string, text: string | Uint8Array): Promise<string> {
  writeFileSync(path, text);
  using vault = openVault({ home, config: { keychain: false } });
  try {
    await vault.resolve("workspace-1", ["A", "B"], () => undefined);
    return "opened";
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

/** Somebody who has the MAC's key, which nobody without the master key has: what is left is the encryption's own binding. */
function withValidMac(home: string, file: VaultFile): string {
  const master = Buffer.from(readFileSync(join(home, "master.key"), "utf8").trim(), "base64");
  const { id, key, wrap } = file.head;
  const dataKey = unseal(deriveKey(master, id, "wrap"), wrap, wrapAad(id, key));
  if (dataKey === undefined) throw new Error("the key does not fit");
  return serializeVault({ ...file, mac: macOf(deriveKey(dataKey, id, "mac"), macText(file)) });
}

function stored(file: VaultFile, key: string): StoredItem {
  const item = file.items.get(key);
  if (item?.kind !== "secret") throw new Error(`no item ${key}`);
  return item;
}

const KEY_A = itemKey(here, "A");
const KEY_B = itemKey(here, "B");

// All bits of all bytes, and all truncations: test/long/vault.test.ts.
test("no change of a byte and no truncation of the file opens it, at every fifth place", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, text } = await makeVault(home.path);
  expect(await outcome(home.path, path, text)).toBe("opened");
  const bytes = Buffer.from(text);
  const codes = new Map<string, number>();
  const note = (code: string): void => void codes.set(code, (codes.get(code) ?? 0) + 1);
  for (let at = 0; at < bytes.length; at += 5) {
    // The bit that is flipped goes round.
    const changed = Buffer.from(bytes);
    changed[at] = (bytes[at] ?? 0) ^ ([0x01, 0x20, 0x80][at % 3] ?? 0x01);
    note(await outcome(home.path, path, changed));
  }
  for (let length = 0; length < bytes.length; length += 35) note(await outcome(home.path, path, bytes.subarray(0, length)));
  expect(codes.get("opened")).toBeUndefined();
  expect(
    [...codes.keys()].every((code) => ["VAULT_TAMPERED", "VAULT_KEY", "STORE_ERROR", "FILE_VERSION"].includes(code)),
    [...codes.keys()].join(),
  ).toBe(true);
  expect([...codes.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(250);
  expect(await outcome(home.path, path, text)).toBe("opened");
});

test.each([
  ["is empty", "", "it is empty"],
  ["holds blanks", " \n", "it is empty"],
  ["was cut off", '{"format": "toolyard-va', "it is not JSON"],
  ["holds zero bytes", "\0\0\0\0", "it is not JSON"],
  ["is other JSON", "[]", "it is not an object"],
  ["lacks its keys", "{}", '"format" is not'],
])("a vault that %s says so", (_what, text, said) => {
  expect(() => parseVault(text)).toThrow(
    expect.objectContaining({ code: "VAULT_TAMPERED", message: expect.stringContaining(`toolyard: ${said}`) }),
  );
  expect(() => parseVault(text)).toThrow(/vault\.json\.bak holds the vault before its last change/);
});

test("the wrapping for recovery of another vault, or none, is refused by the MAC, and opens nothing with the MAC bypassed", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  using other = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, file } = await makeVault(home.path);
  using elsewhere = openVault({ home: other.path, config: { keychain: false } });
  const { recoveryKey = new Secret("") } = await elsewhere.set(here, "A", new Secret("value-elsewhere"), { binding });
  const { recovery = "" } = parseVault(readFileSync(join(other.path, "vault.json"), "utf8")).head;
  const { recovery: _, ...withoutRecovery } = file.head;
  for (const head of [{ ...file.head, recovery }, withoutRecovery]) {
    expect(await outcome(home.path, path, serializeVault({ ...file, head }))).toBe("VAULT_TAMPERED");
  }
  // Whoever has the other vault's recovery key, and could write a valid MAC, would still not get in.
  writeFileSync(path, withValidMac(home.path, { ...file, head: { ...file.head, recovery } }));
  using vault = openVault({ home: home.path, config: { keychain: false } });
  await expect(vault.rekey({ recoveryKey, to: { kind: "key-file" } })).rejects.toMatchObject({ code: "VAULT_KEY" });
});

test("removing an item passes with a valid MAC, which shows what the MAC is for, and is refused without", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, file } = await makeVault(home.path);
  const items = new Map(file.items);
  items.delete(KEY_B);
  expect(await outcome(home.path, path, withValidMac(home.path, { ...file, items }))).toBe("opened");
  expect(await outcome(home.path, path, serializeVault({ ...file, items }))).toBe("VAULT_TAMPERED");
});

test.each<readonly [string, (item: StoredItem, other: StoredItem) => StoredItem]>([
  ["the value of another item", (item, other) => ({ ...item, ct: other.ct })],
  ["another host", (item) => ({ ...item, binding: { ...item.binding, hosts: ["evil.example"] } })],
  ["a host more", (item) => ({ ...item, binding: { ...item.binding, hosts: [...item.binding.hosts, "evil.example"] } })],
  ["another header", (item) => ({ ...item, binding: { ...item.binding, header: "x-echo" } })],
  ["another format", (item) => ({ ...item, binding: { ...item.binding, format: "%s" } })],
  ["another method", (item) => ({ ...item, binding: { ...item.binding, methods: ["TRACE"] } })],
  ["no restrictions", (item) => ({ ...item, binding: { hosts: item.binding.hosts } })],
  ["another generation", (item) => ({ ...item, gen: item.gen + 1 })],
  ["another time", (item) => ({ ...item, setAtMs: item.setAtMs + 1 })],
])("an item with %s is refused by the MAC, and with the MAC bypassed by its own encryption", async (_, edit) => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, file } = await makeVault(home.path);
  const edited = { ...file, items: new Map(file.items).set(KEY_A, edit(stored(file, KEY_A), stored(file, KEY_B))) };
  expect(await outcome(home.path, path, serializeVault(edited))).toBe("VAULT_TAMPERED");
  expect(await outcome(home.path, path, withValidMac(home.path, edited))).toBe("VAULT_TAMPERED");
});

test("an item moved to another name, workspace or to global is refused with the MAC bypassed", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, file } = await makeVault(home.path);
  const elsewhere = stored(file, itemKey(there, "A"));
  const other = stored(file, KEY_B);
  for (const moved of [
    { ...elsewhere, scope: here },
    { ...other, name: "A" },
  ]) {
    const edited = { ...file, items: new Map(file.items).set(KEY_A, moved) };
    expect(await outcome(home.path, path, withValidMac(home.path, edited))).toBe("VAULT_TAMPERED");
  }
  const items = new Map(file.items);
  items.delete(KEY_A);
  items.set(itemKey({ kind: "global" }, "A"), { ...elsewhere, scope: { kind: "global" } });
  writeFileSync(path, withValidMac(home.path, { ...file, items }));
  using vault = openVault({ home: home.path, config: { keychain: false } });
  await expect(vault.resolve("workspace-1", ["A"], () => 1)).rejects.toMatchObject({ code: "VAULT_TAMPERED" });
});

test("without the binding in its associated data an item would open with other hosts", () => {
  const key = Buffer.alloc(32, 7);
  const item = { scope: here, name: "A", gen: 1, setAtMs: 1 };
  const value = Buffer.from("value-of-a");
  const place = (hosts: readonly string[]): string => itemAad("vault", item, { hosts });
  expect(unseal(key, seal(key, value, "no binding"), "no binding")).toEqual(value);
  expect(unseal(key, seal(key, value, place(["a.example"])), place(["evil.example"]))).toBeUndefined();
});

test("second spellings of the same content are refused, though JSON and base64 read them alike", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, text, file } = await makeVault(home.path);
  const { wrap } = file.head;
  const mac = file.mac;
  // 32 bytes end in "=": the last character before it has bits that decoding drops.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const last = alphabet.indexOf(mac.charAt(42));
  const respelled = `${mac.slice(0, 42)}${alphabet.charAt(last ^ 1)}=`;
  expect(Buffer.from(respelled, "base64")).toEqual(Buffer.from(mac, "base64"));
  for (const other of [
    text.replace(mac, respelled),
    text.replace(mac, mac.replace("=", "")),
    text.replace(wrap, wrap.replaceAll("+", "-").replaceAll("/", "_").concat("\\n")),
    text.replaceAll("  ", "\t"),
    text.trimEnd(),
    `\ufeff${text}`,
    text.replace('"v": 1', '"v": 1.0'),
    text.replace('"v": 1', '"v": 1, "v": 1'),
    text.replace('"v": 1', '"v": 1, "__proto__": {}'),
    text.replace('"v": 1', '"v": 1, "more": 1'),
    text.replace('"A"', '"\\u0041"'),
  ]) {
    expect(other).not.toBe(text);
    expect(await outcome(home.path, path, other), other.slice(0, 60)).toBe("VAULT_TAMPERED");
  }
});

test("a forged head cannot make opening it expensive, or guessing cheap", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, file } = await makeVault(home.path);
  const salt = Buffer.alloc(16).toString("base64");
  const good = { type: "argon2id", m: 65_536, t: 3, p: 1, salt } as const;
  for (const change of [
    { m: 2 ** 21 },
    { m: 8 },
    { t: 17 },
    { t: 0 },
    { p: 9 },
    { p: 0 },
    { salt: "" },
    { salt: Buffer.alloc(15).toString("base64") },
    { m: 65_536.5 },
  ]) {
    const head = { ...file.head, key: { kind: "passphrase", kdf: { ...good, ...change } } } as const;
    const startMs = performance.now();
    expect(await outcome(home.path, path, serializeVault({ ...file, head })), JSON.stringify(change)).toBe("VAULT_TAMPERED");
    expect(performance.now() - startMs).toBeLessThan(500);
  }
});

test("a changed key source does not open the vault, even with the right key at the new source", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, file } = await makeVault(home.path);
  writeFileSync(join(home.path, "toolyard-master-key"), readFileSync(join(home.path, "master.key")), { mode: 0o600 });
  writeFileSync(path, serializeVault({ ...file, head: { ...file.head, key: { kind: "credential" } } }));
  using vault = openVault({ home: home.path, config: { credentialsDirectory: home.path, keychain: false } });
  await expect(vault.resolve("workspace-1", ["A"], () => undefined)).rejects.toMatchObject({ code: "VAULT_KEY" });
});

test("a vault that other users could read or write is refused with the command that mends it", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "vault-"));
  const { path, text } = await makeVault(home.path);
  for (const mode of [0o640, 0o606, 0o622]) {
    chmodSync(path, mode);
    expect(await outcome(home.path, path, text)).toBe("STORE_ERROR");
  }
  chmodSync(path, 0o600);
  expect(await outcome(home.path, path, text)).toBe("opened");
  chmodSync(home.path, 0o777);
  using vault = openVault({ home: home.path, config: { keychain: false } });
  await expect(vault.resolve("workspace-1", ["A"], () => undefined)).rejects.toMatchObject({
    code: "STORE_ERROR",
    message: expect.stringContaining("chmod 700"),
  });
});
