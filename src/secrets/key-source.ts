/**
 * Where the vault's master key comes from. At first use the first source that is configured is taken and recorded in the
 * vault; from then on that one only, so that a missing key is said and never replaced by another.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemCode, ToolError } from "../core/errors.ts";
import { createPrivateFile } from "../core/private-file.ts";
import { Secret } from "../core/secret.ts";
import { type KeyFileRules, readKeyFile } from "./key-file.ts";
import { type Keychain, type KeychainEntry, systemKeychain } from "./keychain.ts";
import { ARGON2_COST, derivePassphraseKey, KEY_BYTES, newKey } from "./vault-crypto.ts";
import type { KeySource } from "./vault-file.ts";

/** What flags and environment say about the key; read once, by the command line. */
export interface KeyConfig {
  /** `TOOLYARD_MASTER_KEY_FILE`: a file with 32 random bytes as base64. */
  readonly keyFile?: string;
  /** `CREDENTIALS_DIRECTORY`, as systemd sets it; the key is its file `toolyard-master-key`. */
  readonly credentialsDirectory?: string;
  /** `TOOLYARD_PASSPHRASE_FILE`; wins over `passphrase`. */
  readonly passphraseFile?: string;
  /** `TOOLYARD_PASSPHRASE`. */
  readonly passphrase?: Secret;
  /** True: a new vault keeps its key in the system's keychain, if nothing above is configured. */
  readonly keychain: boolean;
  /** Environment of the process that asks the keychain, made by `keychainEnvironment`; default: that of this process. */
  readonly keychainEnvironment?: Readonly<Record<string, string>>;
}

/** What the sources need beside the configuration. */
export interface KeyContext {
  readonly home: string;
  readonly config: KeyConfig;
  /** Folder of the workspace, which must not hold the key. */
  readonly workspaceRoot?: string;
  /** Asks a person for the passphrase. Only commands on a terminal give it; a server never prompts. */
  readonly prompt?: () => Promise<Secret>;
  /** For tests; the system's keychain otherwise. */
  readonly keychain?: Keychain;
}

/** A key with its source. `made` names the key file that was made for it. */
export interface NewMasterKey {
  readonly source: KeySource;
  readonly key: Buffer;
  readonly made?: string;
}

/** A key that was found, and whether at its usual place or where a change of the key puts the one to come. */
export interface FoundMasterKey {
  readonly key: Buffer;
  readonly entry: KeychainEntry;
}

/** Name of the key file that is made where no source is configured. */
const KEY_FILE_NAME = "master.key";

const CREDENTIAL_NAME = "toolyard-master-key";

/** Shorter passphrases are refused for a new vault: who gets the file can try them all. */
const MIN_PASSPHRASE_CHARACTERS = 12;

/** Path of toolyard's own key file, or of the one that is about to take its place. */
export function ownKeyFile(home: string, entry: KeychainEntry = "current"): string {
  return join(home, entry === "current" ? KEY_FILE_NAME : `${KEY_FILE_NAME}.next`);
}

/**
 * The keys that may be those of a vault that exists, most likely first: mostly one; two where a change of the key was
 * interrupted or is under way. Throws `ToolError` VAULT_LOCKED if the source is not available, VAULT_KEY if what is there
 * is no key.
 */
export async function* masterKeys(source: KeySource, vaultId: string, context: KeyContext): AsyncGenerator<FoundMasterKey, void> {
  switch (source.kind) {
    case "key-file": {
      yield* keyFileKeys(context);
      return;
    }
    case "credential":
      yield { key: readCredential(context), entry: "current" };
      return;
    case "passphrase": {
      const passphrase = readPassphrase(context) ?? (await context.prompt?.());
      if (passphrase === undefined) {
        throw new ToolError(
          "VAULT_LOCKED",
          "The vault is locked with a passphrase, and none is configured here. Set TOOLYARD_PASSPHRASE_FILE to a file that holds it (chmod 600), or TOOLYARD_PASSPHRASE.",
        );
      }
      const key = await derivePassphraseKey(passphrase.reveal(), Buffer.from(source.kdf.salt, "base64"), source.kdf);
      yield { key, entry: "current" };
      return;
    }
    case "keychain": {
      const { current, next } = await keychainOf(context).read(vaultId);
      if (current === undefined && next === undefined) {
        throw new ToolError(
          "VAULT_LOCKED",
          "The vault stays locked: the system's keychain is locked or holds no key for this vault. Unlock it; if the vault came from another machine, bring its key along.",
        );
      }
      const what = "the entry in the system's keychain";
      if (current !== undefined) yield { key: parseKey(current, what), entry: "current" };
      if (next !== undefined) yield { key: parseKey(next, what), entry: "next" };
    }
  }
}

/** The key for a new vault, from the first configured source. Call it only where no vault exists. */
export async function createMasterKey(vaultId: string, context: KeyContext): Promise<NewMasterKey> {
  const { config, home } = context;
  if (config.keyFile !== undefined) return { source: { kind: "key-file" }, key: readKey(config.keyFile, keyFileRules(context)) };
  // A service may have credentials that are not for us.
  if (config.credentialsDirectory !== undefined && existsSync(join(config.credentialsDirectory, CREDENTIAL_NAME))) {
    return { source: { kind: "credential" }, key: readCredential(context) };
  }
  const passphrase = readPassphrase(context);
  if (passphrase !== undefined) return keyFromPassphrase(passphrase);
  if (config.keychain) {
    const key = newKey();
    await keychainOf(context).write(vaultId, "current", new Secret(key.toString("base64")));
    return { source: { kind: "keychain" }, key };
  }
  const path = ownKeyFile(home);
  // One that is there already is left from a first use that was interrupted before it wrote the vault.
  const made = createPrivateFile(path, `${newKey().toString("base64")}\n`);
  return { source: { kind: "key-file" }, key: readKey(path, keyFileRules(context)), ...(made ? { made: path } : {}) };
}

/** A key from a new passphrase, with a salt of its own. Throws `ToolError` VAULT_KEY for one that is too short. */
export async function keyFromPassphrase(passphrase: Secret): Promise<NewMasterKey> {
  if (passphrase.reveal().length < MIN_PASSPHRASE_CHARACTERS) {
    throw new ToolError(
      "VAULT_KEY",
      `The passphrase has fewer than ${MIN_PASSPHRASE_CHARACTERS} characters. Choose a longer one; nothing was changed.`,
    );
  }
  const salt = randomBytes(16);
  const key = await derivePassphraseKey(passphrase.reveal(), salt, ARGON2_COST);
  return { source: { kind: "passphrase", kdf: { type: "argon2id", ...ARGON2_COST, salt: salt.toString("base64") } }, key };
}

/** The key in a file that somebody brings for a change of the key. Throws `ToolError` VAULT_LOCKED or VAULT_KEY. */
export function readBroughtKey(path: string, { workspaceRoot }: KeyContext): Buffer {
  return readKey(path, { what: "the file with the new key", workspaceRoot, rights: "own" });
}

/** The source in words, for people. */
export function keySourceText(source: KeySource): string {
  switch (source.kind) {
    case "key-file":
      return "key file";
    case "credential":
      return "systemd credential";
    case "passphrase":
      return "passphrase";
    case "keychain":
      return "OS keychain";
  }
}

/** The keychain in use. */
export function keychainOf({ keychain, config }: KeyContext): Keychain {
  const { keychainEnvironment: environment } = config;
  return keychain ?? systemKeychain(environment === undefined ? {} : { environment });
}

function* keyFileKeys(context: KeyContext): Generator<FoundMasterKey, void> {
  const { config, home } = context;
  const rules = keyFileRules(context);
  if (config.keyFile !== undefined) {
    yield { key: readKey(config.keyFile, rules), entry: "current" };
    return;
  }
  for (const entry of ["current", "next"] as const) {
    const key = readKeyIfThere(ownKeyFile(home, entry), rules);
    if (key !== undefined) yield { key, entry };
  }
  // The one to come may have taken its place between the two looks. Where there is still none, this says so.
  yield { key: readKey(ownKeyFile(home), rules), entry: "current" };
}

/** Undefined for a file that does not exist. */
function readKeyIfThere(path: string, rules: KeyFileRules): Buffer | undefined {
  try {
    return readKey(path, rules);
  } catch (error) {
    if (error instanceof ToolError && systemCode(error.cause) === "ENOENT") return undefined;
    throw error;
  }
}

function keyFileRules({ config, workspaceRoot }: KeyContext): KeyFileRules {
  const what =
    config.keyFile === undefined
      ? `its key file, ${KEY_FILE_NAME} in toolyard's folder (or where TOOLYARD_MASTER_KEY_FILE says),`
      : "its key file, named by TOOLYARD_MASTER_KEY_FILE,";
  return { what, workspaceRoot, rights: "own" };
}

function readCredential({ config, workspaceRoot }: KeyContext): Buffer {
  if (config.credentialsDirectory === undefined) {
    throw new ToolError(
      "VAULT_LOCKED",
      `The vault stays locked: its key is a systemd credential, and CREDENTIALS_DIRECTORY is not set here. Run inside the service that has LoadCredential=${CREDENTIAL_NAME}.`,
    );
  }
  const what = `the systemd credential ${CREDENTIAL_NAME}`;
  return readKey(join(config.credentialsDirectory, CREDENTIAL_NAME), { what, workspaceRoot, rights: "mounted" });
}

function readPassphrase({ config, workspaceRoot }: KeyContext): Secret | undefined {
  if (config.passphraseFile === undefined) return config.passphrase;
  const passphrase = readKeyFile(config.passphraseFile, { what: "the file of TOOLYARD_PASSPHRASE_FILE", workspaceRoot, rights: "own" });
  if (passphrase.reveal() === "")
    throw new ToolError("VAULT_LOCKED", "The vault stays locked: the file of TOOLYARD_PASSPHRASE_FILE is empty.");
  return passphrase;
}

function readKey(path: string, rules: KeyFileRules): Buffer {
  return parseKey(readKeyFile(path, rules), rules.what);
}

function parseKey(text: Secret, what: string): Buffer {
  const key = Buffer.from(text.reveal(), "base64");
  if (key.length === KEY_BYTES && key.toString("base64") === text.reveal()) return key;
  throw new ToolError(
    "VAULT_KEY",
    `What was found in ${what} is not a key: ${KEY_BYTES} bytes as base64, 44 characters, were expected. Put the right one there; the vault was left as it is.`,
  );
}
