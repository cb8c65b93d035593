/**
 * A new master key for a vault that exists. The key and the vault stand in two places that cannot change in one step, so
 * the new key is put beside the present one first (`master.key.next`, or a second entry of the keychain), then the vault
 * is written with it, then the key takes the present one's place. Opening tries both, so that a crash anywhere in between
 * leaves a vault that opens; the next writer finishes what was begun. Keys that a person keeps (TOOLYARD_MASTER_KEY_FILE,
 * credentials) are read and never written or deleted.
 */
import { existsSync, realpathSync } from "node:fs";
import { ToolError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { movePrivateFile, removePrivateFile, replacePrivateFile } from "../core/private-file.ts";
import { Secret } from "../core/secret.ts";
import { type KeyContext, keychainOf, keyFromPassphrase, masterKeys, ownKeyFile, readBroughtKey } from "./key-source.ts";
import { newKey } from "./vault-crypto.ts";
import { type KeySource, opensHead, type VaultHead } from "./vault-file.ts";

/**
 * The key a vault is to get. `key-file` and `keychain`: a random one is made and kept there. `own-key-file`: the key in a
 * file that a person made, which TOOLYARD_MASTER_KEY_FILE has to name from then on. `credential`: the key in a file, which
 * has to be given to the service as its credential.
 */
export type NewKey =
  | { readonly kind: "key-file" }
  | { readonly kind: "keychain" }
  | { readonly kind: "passphrase"; readonly passphrase: Secret }
  | { readonly kind: "own-key-file"; readonly path: string }
  | { readonly kind: "credential"; readonly path: string };

/** A change that is prepared. Its steps are called while the vault's lock is held. */
export interface KeyChange {
  readonly source: KeySource;
  readonly key: Buffer;
  /** Puts the key beside the present one. Called before the vault is written with it. */
  place(): Promise<void>;
  /** The vault was not written: takes back what `place` did. */
  withdraw(): Promise<void>;
  /** The vault was written: the key takes its place, and those of toolyard's own that are of no more use go. Gives lines for the person. */
  finish(): Promise<readonly string[]>;
}

/** Gets or makes the new key. Throws `ToolError` INVALID_REQUEST if it has to be said, VAULT_LOCKED or VAULT_KEY for one that cannot be used. */
export async function prepareKeyChange(to: NewKey, head: VaultHead, context: KeyContext): Promise<KeyChange> {
  const drop = (): Promise<readonly string[]> => dropOldKey(head, to, context);
  const nothing = async (): Promise<void> => undefined;
  switch (to.kind) {
    case "key-file":
      return ownFileChange(head, context, drop);
    case "keychain":
      return keychainChange(head, context, drop);
    case "passphrase": {
      const { source, key } = await keyFromPassphrase(to.passphrase);
      return { source, key, place: nothing, withdraw: nothing, finish: async () => [...passphraseAdvice(context), ...(await drop())] };
    }
    case "own-key-file": {
      const advice = `Set TOOLYARD_MASTER_KEY_FILE=${to.path} wherever toolyard runs. Without it the vault stays locked.`;
      const key = readBroughtKey(to.path, context);
      return { source: { kind: "key-file" }, key, place: nothing, withdraw: nothing, finish: async () => [advice, ...(await drop())] };
    }
    case "credential": {
      const advice = `Give the service the key in ${to.path} as its credential toolyard-master-key (systemd-creds encrypt --name=toolyard-master-key, then LoadCredentialEncrypted=) and restart it.`;
      const key = readBroughtKey(to.path, context);
      return { source: { kind: "credential" }, key, place: nothing, withdraw: nothing, finish: async () => [advice, ...(await drop())] };
    }
  }
}

/** Where the key of a vault goes that gets another one from the same source. Throws `ToolError` INVALID_REQUEST if only a person can say. */
export function sameKind(source: KeySource, { config }: KeyContext): NewKey {
  if (source.kind === "keychain") return { kind: "keychain" };
  if (source.kind === "key-file" && config.keyFile === undefined) return { kind: "key-file" };
  const missing = {
    "key-file":
      "The vault's key is in the file that TOOLYARD_MASTER_KEY_FILE names, which toolyard never writes. Make a file with the new key and name it: toolyard secrets rekey --to key-file --key-file FILE",
    credential:
      "The vault's key is a systemd credential, which toolyard never writes. Make a file with the new key and name it: toolyard secrets rekey --to credential --key-file FILE",
    passphrase: "The vault's key is a passphrase. Give the new one: toolyard secrets rekey --to passphrase",
  }[source.kind];
  throw new ToolError("INVALID_REQUEST", `${missing}. Nothing was changed.`);
}

/**
 * Finishes a change of the key that was interrupted after the vault was written, and removes what one left that was
 * interrupted before. `entry`: where the key that opened the vault was found. Called while the vault's lock is held.
 */
export async function finishInterrupted(head: VaultHead, entry: "current" | "next", context: KeyContext): Promise<void> {
  if (head.key.kind === "keychain" && entry === "next") {
    const { next } = await keychainOf(context).read(head.id);
    if (next !== undefined) await makeCurrent(head.id, next, context);
  }
  const next = ownKeyFile(context.home, "next");
  if (head.key.kind !== "key-file" || context.config.keyFile !== undefined || !existsSync(next)) return;
  const entryInForce = await entryThatOpens(head, context);
  if (entryInForce === "next") movePrivateFile(next, ownKeyFile(context.home));
  else if (entryInForce === "current") removePrivateFile(next);
}

/** Which of toolyard's own key files opens the vault; undefined: neither, or one cannot be read, as when it is opened by its recovery key. */
async function entryThatOpens(head: VaultHead, context: KeyContext): Promise<"current" | "next" | undefined> {
  try {
    for await (const { key, entry } of masterKeys(head.key, head.id, context)) if (opensHead(key, head)) return entry;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
  return undefined;
}

function ownFileChange(head: VaultHead, context: KeyContext, drop: () => Promise<readonly string[]>): KeyChange {
  const key = newKey();
  const [current, next] = [ownKeyFile(context.home), ownKeyFile(context.home, "next")];
  const advice: string[] = [];
  if (context.config.keyFile !== undefined) {
    advice.push(`The key is in ${current} now. Take TOOLYARD_MASTER_KEY_FILE out of the environment wherever toolyard runs.`);
  }
  return {
    source: { kind: "key-file" },
    key,
    async place() {
      replacePrivateFile(next, `${key.toString("base64")}\n`, { backup: "none" });
      if (!existsSync(current) || (await isKeyOf(head, context))) return;
      // Of another vault, perhaps; whatever it is, this change is no reason to lose it.
      const aside = `${current}.${newId()}.kept`;
      movePrivateFile(current, aside);
      advice.push(`${current} held something else than this vault's key. It was kept as ${aside}.`);
    },
    async withdraw() {
      removePrivateFile(next);
    },
    async finish() {
      movePrivateFile(next, current);
      return [...advice, ...(await drop())];
    },
  };
}

/** True if toolyard's own key file holds the vault's present key. */
async function isKeyOf(head: VaultHead, context: KeyContext): Promise<boolean> {
  try {
    const { value } = await masterKeys({ kind: "key-file" }, head.id, { ...context, config: { keychain: false } }).next();
    return value?.entry === "current" && opensHead(value.key, head);
  } catch (error) {
    // What cannot be read as a key is none.
    if (error instanceof ToolError) return false;
    throw error;
  }
}

function keychainChange(head: VaultHead, context: KeyContext, drop: () => Promise<readonly string[]>): KeyChange {
  const keychain = keychainOf(context);
  const key = newKey();
  const text = new Secret(key.toString("base64"));
  return {
    source: { kind: "keychain" },
    key,
    async place() {
      await keychain.write(head.id, "next", text);
      // Some keychains take an entry and do not keep it; the vault must not be written with a key that is nowhere.
      if ((await keychain.read(head.id)).next?.reveal() === text.reveal()) return;
      throw new ToolError("VAULT_LOCKED", "The system's keychain did not keep the new key. Nothing was changed.");
    },
    async withdraw() {
      await keychain.remove(head.id, "next");
    },
    async finish() {
      await makeCurrent(head.id, text, context);
      return drop();
    },
  };
}

async function makeCurrent(vaultId: string, key: Secret, context: KeyContext): Promise<void> {
  const keychain = keychainOf(context);
  await keychain.write(vaultId, "current", key);
  await keychain.remove(vaultId, "next");
}

/** Removes the key of the source before, where it was toolyard's own; for others says what a person may do. */
async function dropOldKey(head: VaultHead, to: NewKey, context: KeyContext): Promise<readonly string[]> {
  const { id, key } = head;
  const { config, home } = context;
  if (key.kind === "keychain" && to.kind !== "keychain") return removeEntries(id, context);
  if (key.kind === "key-file" && config.keyFile === undefined && to.kind !== "key-file") {
    const path = ownKeyFile(home);
    const isStillUsed = "path" in to && existsSync(path) && realpathSync(to.path) === realpathSync(path);
    if (!isStillUsed && (await isKeyOf(head, context))) removePrivateFile(path);
  }
  if (key.kind === "key-file" && config.keyFile !== undefined) {
    return [`The key in ${config.keyFile} opens only copies of the vault from before. Delete it once you need none of those.`];
  }
  return [];
}

async function removeEntries(vaultId: string, context: KeyContext): Promise<readonly string[]> {
  try {
    for (const entry of ["current", "next"] as const) await keychainOf(context).remove(vaultId, entry);
    return [];
  } catch (error) {
    // A keychain that is gone is why many vaults get another key.
    if (!(error instanceof ToolError)) throw error;
    return [
      `The key before may still be in the system's keychain, as "vault ${vaultId}" of toolyard. It opens only copies of the vault from before.`,
    ];
  }
}

function passphraseAdvice({ config }: KeyContext): readonly string[] {
  if (config.passphraseFile !== undefined)
    return [`Write the new passphrase into ${config.passphraseFile}, which TOOLYARD_PASSPHRASE_FILE names.`];
  return [
    "A server needs the new passphrase: TOOLYARD_PASSPHRASE_FILE names a file that holds it (chmod 600), or TOOLYARD_PASSPHRASE has it.",
  ];
}
