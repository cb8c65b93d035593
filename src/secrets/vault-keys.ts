import { ToolError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { createMasterKey, type KeyContext, readMasterKey } from "./key-source.ts";
import { deriveKey, isSameMac, macOf, newKey, seal, unseal } from "./vault-crypto.ts";
import { type KeySource, macText, tampered, type VaultFile, type VaultHead, wrapAad } from "./vault-file.ts";

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

/** The same slow unlocking (passphrase, keychain) that just failed is not tried again for this long. */
const RETRY_UNLOCK_MS = 5_000;

/** Gets the keys of a vault and keeps those that opened it, in memory only. Disposing overwrites them. */
export class VaultKeyRing {
  readonly #options: KeyRingOptions;
  readonly #now: () => number;
  #kept: { readonly head: string; readonly keys: VaultKeys } | undefined;
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
    if (this.#verified !== file) {
      if (!isSameMac(macOf(keys.mac, macText(file)), file.mac)) throw tampered("its MAC does not fit its content");
      this.#verified = file;
    }
    return keys;
  }

  /** Keys and head of a new vault. Call it only while the vault's lock is held and there is no vault. `made`: path of a key file made for it. */
  async create(): Promise<{ readonly head: VaultHead; readonly keys: VaultKeys; readonly made: string | undefined }> {
    const id = newId();
    const { source, key, made } = await createMasterKey(id, this.#options);
    const dataKey = newKey();
    const head: VaultHead = { id, key: source, wrap: seal(deriveKey(key, id, "wrap"), dataKey, wrapAad(id, source)) };
    key.fill(0);
    return { head, keys: this.#keep(head, dataKey), made };
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
      const master = await readMasterKey(head.key, head.id, this.#options);
      const dataKey = unseal(deriveKey(master, head.id, "wrap"), head.wrap, wrapAad(head.id, head.key));
      master.fill(0);
      if (dataKey === undefined) throw wrongKey(head.key);
      return this.#keep(head, dataKey);
    } catch (error) {
      this.#failed = { head: text, error, atMs: this.#now() };
      throw error;
    }
  }

  #keep(head: VaultHead, dataKey: Buffer): VaultKeys {
    const keys = { items: deriveKey(dataKey, head.id, "items"), mac: deriveKey(dataKey, head.id, "mac") };
    dataKey.fill(0);
    this.#kept = { head: headText(head), keys };
    return keys;
  }
}

function headText({ id, key, wrap }: VaultHead): string {
  return `${wrapAad(id, key)} ${wrap}`;
}

function wrongKey(source: KeySource): ToolError {
  const mend = {
    "key-file": "The key file is another one than the vault was made with. Put the right one back, or set TOOLYARD_MASTER_KEY_FILE",
    credential: "The systemd credential is another key than the vault was made with. Load the right one",
    passphrase: "The passphrase is wrong",
    keychain: "The keychain's entry is another key than the vault was made with",
  }[source.kind];
  return new ToolError(
    "VAULT_KEY",
    `The key does not open the vault (or the head of vault.json was changed). ${mend}. The vault was left as it is.`,
  );
}
