/**
 * The vault: secrets with the hosts each may go to, encrypted in one file, `vault.json`. Reading takes no lock and sees a
 * change by another process at once. Nothing is returned whose place, binding or file was changed outside toolyard.
 * Not noticed: an older whole file put back by somebody who can write to the folder.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../core/errors.ts";
import { acquireFileLock } from "../core/file-lock.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import { ensurePrivateFolder, fileSignature, readPrivateFile, removeLeftovers, replacePrivateFile } from "../core/private-file.ts";
import { Secret } from "../core/secret.ts";
import { type Binding, bindingText, parseBinding } from "./binding.ts";
import { parseSecretName, parseSecretValue } from "./secret-value.ts";
import { macOf, seal, unseal } from "./vault-crypto.ts";
import {
  itemAad,
  itemKey,
  type KeySource,
  MAX_VAULT_BYTES,
  macText,
  parseVault,
  type Scope,
  serializeVault,
  tampered,
  type VaultFile,
  type VaultHead,
  type VaultItem,
  workspaceScope,
} from "./vault-file.ts";
import { type KeyRingOptions, VaultKeyRing, type VaultKeys } from "./vault-keys.ts";

/** A stored secret, without its value. */
export interface SecretEntry {
  readonly scope: Scope;
  readonly name: string;
  readonly binding: Binding;
  /** Milliseconds since 1970. */
  readonly setAtMs: number;
}

/** A secret that a tool gets, with where it may go. */
export interface FoundSecret {
  readonly kind: "found";
  readonly scope: Scope;
  readonly secret: Secret;
  readonly binding: Binding;
  readonly hosts: readonly HostPattern[];
}

/** What a name stands for in a workspace. `untrusted`: only a global secret has that name, and this use was not trusted. */
export type SecretResolution = FoundSecret | { readonly kind: "untrusted"; readonly binding: Binding } | { readonly kind: "missing" };

/** What `set` did. `madeKeyFile` is the path of a key file made by it, at first use without a configured source. */
export interface StoredReport {
  readonly kind: "stored" | "replaced";
  readonly binding: Binding;
  readonly keySource: KeySource;
  readonly madeKeyFile?: string;
}

/** When the use of a global secret was trusted, in milliseconds since 1970; undefined: it was not. */
export type TrustedGlobal = (name: string, binding: Binding) => number | undefined;

/** Name of the vault's file in toolyard's folder. */
export const VAULT_FILE_NAME = "vault.json";

/** Opens the vault of toolyard's folder. Nothing is read, asked for or made before it is used. */
export function openVault(options: KeyRingOptions): Vault {
  return new Vault(options);
}

/** See {@link openVault}. Holds the keys once unlocked; disposing overwrites them. */
export class Vault {
  readonly #path: string;
  readonly #keyRing: VaultKeyRing;
  readonly #now: () => number;
  #read: { readonly file: VaultFile; readonly signature: string } | undefined;

  constructor(options: KeyRingOptions) {
    this.#path = join(options.home, VAULT_FILE_NAME);
    this.#keyRing = new VaultKeyRing(options);
    this.#now = options.now ?? Date.now;
  }

  /**
   * The stored secrets, of one scope or all, sorted. Needs no key and so proves nothing: for showing, not for deciding.
   * Throws `ToolError` VAULT_TAMPERED, FILE_VERSION or STORE_ERROR.
   */
  list(scope?: Scope): readonly SecretEntry[] {
    const items = [...(this.#load()?.file.items ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return items.flatMap(([, item]) => {
      const isWanted = scope === undefined || itemKey(scope, "") === itemKey(item.scope, "");
      if (item.kind !== "secret" || !isWanted) return [];
      return [{ scope: item.scope, name: item.name, binding: item.binding, setAtMs: item.setAtMs }];
    });
  }

  /** Where the key comes from; undefined while there is no vault. */
  keySource(): KeySource | undefined {
    return this.#load()?.file.head.key;
  }

  /**
   * What each name stands for in the workspace, as the file is at this moment. A secret of the workspace wins over a
   * global one; one that was removed is not replaced by a global one that was trusted before that. `workspaceId`
   * undefined: the workspace is not recognised, so it has none of its own. Throws `ToolError` VAULT_LOCKED, VAULT_KEY,
   * VAULT_TAMPERED, FILE_VERSION or STORE_ERROR; without a vault every name is missing.
   */
  async resolve(
    workspaceId: string | undefined,
    names: readonly string[],
    trustedGlobal: TrustedGlobal,
  ): Promise<ReadonlyMap<string, SecretResolution>> {
    const file = names.length === 0 ? undefined : this.#load()?.file;
    if (file === undefined) return new Map(names.map((name) => [name, { kind: "missing" }]));
    const keys = await this.#keyRing.unlock(file);
    const scope = workspaceId === undefined ? undefined : workspaceScope(workspaceId);
    return new Map(names.map((name) => [name, this.#resolveOne(file, keys, { scope, name, trustedGlobal })]));
  }

  /**
   * Stores a secret. A new name needs a binding; a known one keeps its own, and a different one is refused. Makes the
   * vault, and if need be its key file, at first use. Throws `ToolError` INVALID_REQUEST for what cannot be stored,
   * QUOTA_EXCEEDED over 16 MiB, and what `resolve` throws.
   */
  async set(
    scope: Scope,
    name: string,
    value: Secret,
    { binding, allowShort = false }: { readonly binding?: Binding; readonly allowShort?: boolean } = {},
  ): Promise<StoredReport> {
    parseSecretName(name);
    const plain = parseSecretValue(name, value, { allowShort });
    const wanted = binding === undefined ? undefined : parseBinding(binding);
    const place = scope.kind === "global" ? scope : workspaceScope(scope.id);
    const known = this.#load()?.file.items.get(itemKey(place, name));
    // Asked again under the lock; here it spares making a vault, and a key, for a mistyped command.
    bindingFor(name, known, wanted);
    const outcome = await this.#change("previous", (file, keys) => {
      const before = file.items.get(itemKey(place, name));
      const bound = bindingFor(name, before, wanted);
      const item = { scope: place, name, gen: file.gen + 1, setAtMs: this.#now() };
      const ct = seal(keys.items, Buffer.from(plain.reveal()), itemAad(file.head.id, item, bound));
      const items = new Map(file.items).set(itemKey(place, name), { ...item, kind: "secret", binding: bound, ct });
      return { items, answer: { kind: before?.kind === "secret" ? "replaced" : "stored", binding: bound } as const };
    });
    const { made, head, answer } = outcome;
    return { ...answer, keySource: head.key, ...(made === undefined ? {} : { madeKeyFile: made }) };
  }

  /**
   * Removes a secret, also from the backup. `globalExists`: a global secret has that name; the workspace does not get it
   * instead until it is trusted again.
   */
  async remove(scope: Scope, name: string): Promise<{ readonly removed: boolean; readonly globalExists: boolean }> {
    const key = itemKey(scope, name);
    if (this.#load()?.file.items.get(key)?.kind !== "secret") return { removed: false, globalExists: false };
    const { answer } = await this.#change("same", (file) => {
      const items = new Map(file.items);
      const removed = items.get(key)?.kind === "secret";
      const globalExists = scope.kind === "workspace" && items.get(itemKey({ kind: "global" }, name))?.kind === "secret";
      if (removed && globalExists) items.set(key, { kind: "removed", scope, name, gen: file.gen + 1, setAtMs: this.#now() });
      else if (removed) items.delete(key);
      return { items, answer: { removed, globalExists } };
    });
    return answer;
  }

  [Symbol.dispose](): void {
    this.#keyRing[Symbol.dispose]();
  }

  #resolveOne(
    file: VaultFile,
    keys: VaultKeys,
    query: { scope: Scope | undefined; name: string; trustedGlobal: TrustedGlobal },
  ): SecretResolution {
    const { scope, name, trustedGlobal } = query;
    const own = scope === undefined ? undefined : file.items.get(itemKey(scope, name));
    if (own?.kind === "secret") return found(file, keys, own);
    const global = file.items.get(itemKey({ kind: "global" }, name));
    if (global?.kind !== "secret") return { kind: "missing" };
    const trustedAtMs = trustedGlobal(name, global.binding);
    const isTrusted = trustedAtMs !== undefined && (own === undefined || trustedAtMs > own.setAtMs);
    return isTrusted ? found(file, keys, global) : { kind: "untrusted", binding: global.binding };
  }

  #load(): { readonly file: VaultFile; readonly signature: string } | undefined {
    const signature = fileSignature(this.#path);
    if (signature !== undefined && signature === this.#read?.signature) return this.#read;
    const read = readPrivateFile(this.#path, MAX_VAULT_BYTES);
    if (read === undefined && existsSync(`${this.#path}.bak`)) {
      // A new vault would get a new data key, and its second write would destroy the backup.
      throw new ToolError(
        "STORE_ERROR",
        `${this.#path} is missing but its backup is there. Put it back: mv '${this.#path}.bak' '${this.#path}'`,
        {
          audience: "operator",
        },
      );
    }
    this.#read = read === undefined ? undefined : { file: parseVault(read.text), signature: read.signature };
    return this.#read;
  }

  async #change<Answer>(
    backup: "previous" | "same",
    edit: (file: Omit<VaultFile, "mac">, keys: VaultKeys) => { readonly items: ReadonlyMap<string, VaultItem>; readonly answer: Answer },
  ): Promise<{ readonly answer: Answer; readonly head: VaultHead; readonly made: string | undefined }> {
    const folder = dirname(this.#path);
    ensurePrivateFolder(folder);
    // The key may take seconds to come; others need not wait for the lock meanwhile.
    const early = this.#load();
    if (early !== undefined) await this.#keyRing.unlock(early.file);
    using lock = await acquireFileLock(join(folder, "vault.lock"));
    removeLeftovers(this.#path);
    const seen = this.#load();
    const { head, keys, made } =
      seen === undefined
        ? await this.#keyRing.create()
        : { head: seen.file.head, keys: await this.#keyRing.unlock(seen.file), made: undefined };
    const before = { head, gen: seen?.file.gen ?? 0, items: seen?.file.items ?? new Map<string, VaultItem>() };
    const { items, answer } = edit(before, keys);
    const next = { head, gen: before.gen + 1, items };
    const text = serializeVault({ ...next, mac: macOf(keys.mac, macText(next)) });
    if (Buffer.byteLength(text) > MAX_VAULT_BYTES) {
      throw new ToolError(
        "QUOTA_EXCEEDED",
        `The vault would be over ${MAX_VAULT_BYTES / 1_048_576} MiB. Remove secrets that are not used.`,
      );
    }
    const beforeCommit = (): void => {
      if (lock.isHeld() && fileSignature(this.#path) === seen?.signature) return;
      throw new ToolError("STORE_ERROR", "Another process changed the vault meanwhile. Nothing was changed by this one; try again.");
    };
    replacePrivateFile(this.#path, text, { backup, beforeCommit });
    return { answer, head, made };
  }
}

function found(file: VaultFile, keys: VaultKeys, item: VaultItem & { readonly kind: "secret" }): SecretResolution {
  const plain = unseal(keys.items, item.ct, itemAad(file.head.id, item, item.binding));
  if (plain === undefined) throw tampered(`the value of ${item.name} does not belong to its place or its hosts`);
  const hosts = item.binding.hosts.map((host) => parseHostPattern(host, { kind: "binding" }));
  const secret = new Secret(plain.toString("utf8"));
  plain.fill(0);
  return { kind: "found", scope: item.scope, secret, binding: item.binding, hosts };
}

/** The binding a secret gets. */
function bindingFor(name: string, before: VaultItem | undefined, wanted: Binding | undefined): Binding {
  if (before?.kind !== "secret") {
    if (wanted !== undefined) return wanted;
    throw new ToolError(
      "INVALID_REQUEST",
      `${name} is new: say where it may go, such as --host api.example.com. There is no way to say any host.`,
    );
  }
  if (wanted === undefined || bindingText(wanted) === bindingText(before.binding)) return before.binding;
  throw new ToolError(
    "INVALID_REQUEST",
    `${name} is stored already and bound to ${bindingText(before.binding)}. Leave out --host to replace only the value; to bind it elsewhere, remove it first: toolyard secrets remove ${name}`,
  );
}
