/**
 * The vault's file: read without a lock, as it is at this moment; changed by one writer at a time, under a lock, from
 * what is there then.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../core/errors.ts";
import { acquireFileLock } from "../core/file-lock.ts";
import { ensurePrivateFolder, fileSignature, readPrivateFile, removeLeftovers, replacePrivateFile } from "../core/private-file.ts";
import { ownKeyFile } from "./key-source.ts";
import { macOf } from "./vault-crypto.ts";
import { MAX_VAULT_BYTES, macText, parseVault, serializeVault, type VaultFile } from "./vault-file.ts";
import type { VaultKeys } from "./vault-keys.ts";

/** A file that was read, with the signature it had. */
export interface StoredVault {
  readonly file: VaultFile;
  readonly signature: string;
}

/** The vault while its lock is held. */
export interface LockedVault {
  /** Undefined: there is none yet. */
  readonly stored: StoredVault | undefined;
  /** Makes the lock young again; false if another process took it over. Wanted after anything that may take seconds. */
  renew(): boolean;
  /**
   * Writes the next state. `backup` as in `replacePrivateFile`. Throws `ToolError` QUOTA_EXCEEDED or STORE_ERROR, the
   * latter also when another process took over or changed the file meanwhile.
   */
  write(next: Omit<VaultFile, "mac">, keys: VaultKeys, backup: "previous" | "same"): void;
}

/** The file at an absolute path, in toolyard's folder. */
export class VaultStore {
  readonly #path: string;
  #read: StoredVault | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The file, undefined where there is none; the same object while it does not change. Throws `ToolError` VAULT_TAMPERED, FILE_VERSION or STORE_ERROR. */
  load(): StoredVault | undefined {
    const signature = fileSignature(this.#path);
    if (signature !== undefined && signature === this.#read?.signature) return this.#read;
    const read = readPrivateFile(this.#path, MAX_VAULT_BYTES);
    if (read === undefined && existsSync(`${this.#path}.bak`)) {
      // A new vault would get a new data key, and its second write would destroy the backup.
      throw new ToolError(
        "STORE_ERROR",
        `${this.#path} is missing but its backup is there. Put it back: mv '${this.#path}.bak' '${this.#path}'`,
        { audience: "operator" },
      );
    }
    this.#read = read === undefined ? undefined : { file: parseVault(read.text), signature: read.signature };
    return this.#read;
  }

  /** True if the file is another one than that by now. */
  hasChangedSince({ signature }: StoredVault): boolean {
    return fileSignature(this.#path) !== signature;
  }

  /** Does the work while no other process of ours writes. Makes the folder. Throws `ToolError` STORE_ERROR, and what the work throws. */
  async exclusively<Result>(work: (locked: LockedVault) => Promise<Result>): Promise<Result> {
    const folder = dirname(this.#path);
    ensurePrivateFolder(folder);
    using lock = await acquireFileLock(join(folder, "vault.lock"));
    for (const path of [this.#path, ownKeyFile(folder), ownKeyFile(folder, "next")]) removeLeftovers(path);
    const stored = this.load();
    return await work({
      stored,
      renew: () => lock.renew(),
      write: (next, keys, backup) =>
        this.#write(next, keys, { backup, isOurs: () => lock.isHeld() && fileSignature(this.#path) === stored?.signature }),
    });
  }

  #write(
    next: Omit<VaultFile, "mac">,
    keys: VaultKeys,
    { backup, isOurs }: { readonly backup: "previous" | "same"; readonly isOurs: () => boolean },
  ): void {
    const text = serializeVault({ ...next, mac: macOf(keys.mac, macText(next)) });
    if (Buffer.byteLength(text) > MAX_VAULT_BYTES) {
      throw new ToolError(
        "QUOTA_EXCEEDED",
        `The vault would be over ${MAX_VAULT_BYTES / 1_048_576} MiB. Remove secrets that are not used.`,
      );
    }
    const beforeCommit = (): void => {
      if (isOurs()) return;
      throw new ToolError("STORE_ERROR", "Another process changed the vault meanwhile. Nothing was changed by this one; try again.");
    };
    replacePrivateFile(this.#path, text, { backup, beforeCommit });
  }
}
