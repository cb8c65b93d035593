import { ToolError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Secret } from "../core/secret.ts";
import { finishInterrupted } from "./key-change.ts";
import { createMasterKey, type KeyContext, masterKeys } from "./key-source.ts";
import { createRecovery, openRecovery } from "./recovery.ts";
import { deriveKey, isSameMac, macOf, newKey, seal } from "./vault-crypto.ts";
import { type KeySource, macText, openHead, tampered, type VaultFile, type VaultHead, wrapAad } from "./vault-file.ts";

/** The keys of one vault, derived from its data key. */
export interface VaultKeys {
  /** Encrypts the items. */
  readonly items: Buffer;
  /** For the MAC over the file. */
  readonly mac: Buffer;
}

/** What the key ring needs beside the sources of the key. */
export interface KeyRingOptions extends KeyContext {
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/** A vault that is made: its head and keys, the path of a key file made for it, and the recovery key, which is nowhere else. */
export interface NewVault {
  readonly head: VaultHead;
  readonly keys: VaultKeys;
  readonly made: string | undefined;
  readonly recoveryKey: Secret;
}

/** The same slow unlocking (passphrase, keychain) that just failed is not tried again for this long. */
const RETRY_UNLOCK_MS = 5_000;

/** Gets the keys of a vault and keeps those that opened it, in memory only. Disposing overwrites them. */
export class VaultKeyRing {
  readonly #options: KeyRingOptions;
  readonly #now: () => number;
  #kept: { readonly head: string; readonly keys: VaultKeys; readonly entry: "current" | "next" } | undefined;
  #opening: { readonly head: string; readonly keys: Promise<VaultKeys> } | undefined;
  #failed: { readonly head: string; readonly error: unknown; readonly atMs: number } | undefined;
  #verified: VaultFile | undefined;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The keys of the file, if need be from their source, after the file's MAC was checked with them. Many calls that wait
   * for one source ask it once. Throws `ToolError` VAULT_LOCKED, VAULT_KEY or VAULT_TAMPERED.
   */
  async unlock(file: VaultFile): Promise<VaultKeys> {
    const head = headText(file.head);
    const keys = this.#kept?.head === head ? this.#kept.keys : await this.#openOnce(file.head, head);
    this.#verify(file, keys);
    return keys;
  }

  /**
   * The data key of the file, for writing it with another master key; from the source, or from the recovery key if that
   * is given. The caller overwrites it. Checks and keeps as `unlock` does, and throws what it throws; for a recovery key
   * INVALID_REQUEST and VAULT_KEY.
   */
  async readDataKey(file: VaultFile, recoveryKey?: Secret): Promise<Buffer> {
    const { dataKey, entry } =
      recoveryKey === undefined ? await this.#read(file.head) : { dataKey: recovered(file.head, recoveryKey), entry: "current" as const };
    this.#verify(file, this.keep(file.head, deriveKeys(file.head.id, dataKey), entry));
    return dataKey;
  }

  /** Keys and head of a new vault. Call it only while the vault's lock is held and there is no vault. */
  async create(): Promise<NewVault> {
    const id = newId();
    const { source, key, made } = await createMasterKey(id, this.#options);
    const dataKey = newKey();
    const { key: recoveryKey, wrap: recovery } = createRecovery(id, dataKey);
    const head: VaultHead = { ...wrapped({ id, key: source }, key, dataKey), recovery };
    key.fill(0);
    const keys = this.keep(head, deriveKeys(id, dataKey));
    dataKey.fill(0);
    return { head, keys, made, recoveryKey };
  }

  /** Keeps keys that open the vault with that head. `entry`: where its master key was found. */
  keep(head: VaultHead, keys: VaultKeys, entry: "current" | "next" = "current"): VaultKeys {
    this.#kept = { head: headText(head), keys, entry };
    return keys;
  }

  /** Finishes a change of the key that another process could not. Call it with the lock held, for a file that was unlocked. */
  async finishInterrupted(head: VaultHead): Promise<void> {
    if (this.#kept?.head !== headText(head)) return;
    await finishInterrupted(head, this.#kept.entry, this.#options);
    this.#kept = { ...this.#kept, entry: "current" };
  }

  [Symbol.dispose](): void {
    this.#kept?.keys.items.fill(0);
    this.#kept?.keys.mac.fill(0);
    this.#kept = undefined;
    this.#verified = undefined;
  }

  async #openOnce(head: VaultHead, text: string): Promise<VaultKeys> {
    if (this.#opening?.head !== text) this.#opening = { head: text, keys: this.#open(head, text) };
    const { keys } = this.#opening;
    try {
      return await keys;
    } finally {
      if (this.#opening?.keys === keys) this.#opening = undefined;
    }
  }

  async #open(head: VaultHead, text: string): Promise<VaultKeys> {
    const isSlow = (head.key.kind === "passphrase" || head.key.kind === "keychain") && this.#options.prompt === undefined;
    const failed = this.#failed;
    if (isSlow && failed?.head === text && this.#now() - failed.atMs < RETRY_UNLOCK_MS) throw failed.error;
    try {
      const { dataKey, entry } = await this.#read(head);
      const keys = this.keep(head, deriveKeys(head.id, dataKey), entry);
      dataKey.fill(0);
      return keys;
    } catch (error) {
      this.#failed = { head: text, error, atMs: this.#now() };
      throw error;
    }
  }

  async #read(head: VaultHead): Promise<{ readonly dataKey: Buffer; readonly entry: "current" | "next" }> {
    try {
      for await (const { key, entry } of masterKeys(head.key, head.id, this.#options)) {
        const dataKey = openHead(key, head);
        key.fill(0);
        if (dataKey !== undefined) return { dataKey, entry };
      }
    } catch (error) {
      if (error instanceof ToolError) throw withRecovery(error, head);
      throw error;
    }
    throw withRecovery(wrongKey(head.key), head);
  }

  #verify(file: VaultFile, keys: VaultKeys): void {
    if (this.#verified === file) return;
    if (!isSameMac(macOf(keys.mac, macText(file)), file.mac)) throw tampered("its MAC does not fit its content");
    this.#verified = file;
  }
}

/** The keys of a vault, from its data key. */
export function deriveKeys(vaultId: string, dataKey: Uint8Array): VaultKeys {
  return { items: deriveKey(dataKey, vaultId, "items"), mac: deriveKey(dataKey, vaultId, "mac") };
}

/** The head of a vault whose data key is encrypted with that master key. */
export function wrapped({ id, key }: Pick<VaultHead, "id" | "key">, master: Uint8Array, dataKey: Uint8Array): Omit<VaultHead, "recovery"> {
  return { id, key, wrap: seal(deriveKey(master, id, "wrap"), dataKey, wrapAad(id, key)) };
}

function headText({ id, key, wrap }: VaultHead): string {
  return `${wrapAad(id, key)} ${wrap}`;
}

function recovered({ id, recovery }: VaultHead, recoveryKey: Secret): Buffer {
  if (recovery !== undefined) return openRecovery(id, recovery, recoveryKey);
  throw new ToolError(
    "INVALID_REQUEST",
    "This vault has no recovery key: none was made, so only its own key opens it. Nothing was changed.",
  );
}

/** Adds what helps where a key is lost for good. A passphrase that is not configured is not lost. */
function withRecovery(error: ToolError, { key, recovery }: VaultHead): ToolError {
  if (recovery === undefined || (key.kind === "passphrase" && error.code === "VAULT_LOCKED")) return error;
  const hint = "If it is lost, the recovery key opens the vault: toolyard secrets rekey --recover --to key-file";
  return new ToolError(error.code, `${error.message} ${hint}`, { cause: error });
}

function wrongKey(source: KeySource): ToolError {
  const mend = {
    "key-file":
      "The key file is another one than the vault was made with. Put the right one back, or set TOOLYARD_MASTER_KEY_FILE to it (or take that away, if toolyard's own key file is meant)",
    credential: "The systemd credential is another key than the vault was made with. Load the right one",
    passphrase: "The passphrase is wrong",
    keychain: "The keychain's entry is another key than the vault was made with",
  }[source.kind];
  return new ToolError(
    "VAULT_KEY",
    `The key does not open the vault (or the head of vault.json was changed). ${mend}. The vault was left as it is.`,
  );
}
