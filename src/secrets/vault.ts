/**
 * The vault: secrets with the hosts each may go to, encrypted in one file, `vault.json`. Reading takes no lock and sees a
 * change by another process at once. Nothing is returned whose place, binding or file was changed outside toolyard.
 * Not noticed: an older whole file put back by somebody who can write to the folder.
 */
import { join } from "node:path";
import { ToolError } from "../core/errors.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import type { Secret } from "../core/secret.ts";
import type { Binding } from "./binding.ts";
import { parseSecretName, parseSecretValue, type ValueWeakness, weaknessField } from "./secret-value.ts";
import {
  allowHosts,
  type BeforeEdit,
  bindingFor,
  type ChangedHosts,
  checkedSecret,
  denyHosts,
  type Edited,
  openItem,
  type RenamedReport,
  removeSecret,
  renameSecret,
  type SecretToSet,
  type StoredItem,
  secretMissing,
  setSecrets,
} from "./vault-edit.ts";
import { itemKey, type KeySource, type Scope, type VaultFile, workspaceScope } from "./vault-file.ts";
import { type KeyRingOptions, VaultKeyRing, type VaultKeys } from "./vault-keys.ts";
import { makeRecoveryKey, type RekeyOptions, type RekeyReport, rekeyVault } from "./vault-rekey.ts";
import { VaultStore } from "./vault-store.ts";

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

/** What `set` did. */
export interface StoredReport {
  readonly kind: "stored" | "replaced";
  readonly binding: Binding;
  readonly keySource: KeySource;
  /** Path of a key file made by it, at first use without a configured source. */
  readonly madeKeyFile?: string;
  /** The recovery key, if it made the vault. It is nowhere else, so it has to be shown, once. */
  readonly recoveryKey?: Secret;
  /** What is weak about the value; only with `allowShort`. */
  readonly weakness?: ValueWeakness;
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
  readonly #options: KeyRingOptions;
  readonly #store: VaultStore;
  readonly #keyRing: VaultKeyRing;
  readonly #now: () => number;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#store = new VaultStore(join(options.home, VAULT_FILE_NAME));
    this.#keyRing = new VaultKeyRing(options);
    this.#now = options.now ?? Date.now;
  }

  /**
   * The stored secrets, of one scope or all, sorted. Needs no key and so proves nothing: for showing, not for deciding.
   * Throws `ToolError` VAULT_TAMPERED, FILE_VERSION or STORE_ERROR.
   */
  list(scope?: Scope): readonly SecretEntry[] {
    const items = [...(this.#store.load()?.file.items ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return items.flatMap(([, item]) => {
      const isWanted = scope === undefined || itemKey(scope, "") === itemKey(item.scope, "");
      if (item.kind !== "secret" || !isWanted) return [];
      return [{ scope: item.scope, name: item.name, binding: item.binding, setAtMs: item.setAtMs }];
    });
  }

  /** Where the key comes from; undefined while there is no vault. */
  keySource(): KeySource | undefined {
    return this.#store.load()?.file.head.key;
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
    const opened = names.length === 0 ? undefined : await this.#open();
    if (opened === undefined) return new Map(names.map((name) => [name, { kind: "missing" }]));
    const scope = workspaceId === undefined ? undefined : workspaceScope(workspaceId);
    return new Map(names.map((name) => [name, resolveOne(opened, { scope, name, trustedGlobal })]));
  }

  /** Unlocks the vault, which checks the whole of it. Without a vault there is nothing to check. Throws as `resolve`. */
  async verify(): Promise<void> {
    await this.#open();
  }

  /**
   * Stores a secret. A new name needs a binding; a known one keeps its own, and a different one is refused. Makes the
   * vault, and if need be its key file, at first use. Throws `ToolError` INVALID_REQUEST for what cannot be stored,
   * QUOTA_EXCEEDED over 16 MiB, and what `resolve` throws.
   */
  async set(scope: Scope, name: string, value: Secret, options: Omit<SecretToSet, "name" | "value"> = {}): Promise<StoredReport> {
    const [report] = await this.setMany(scope, [{ ...options, name, value }]);
    if (report === undefined) throw new Error("one secret gives one report");
    return report;
  }

  /** Stores several secrets in one step: all or, where one cannot be stored or a name is there twice, none. Throws as `set`. */
  async setMany(scope: Scope, secrets: readonly SecretToSet[]): Promise<readonly StoredReport[]> {
    const place = scope.kind === "global" ? scope : workspaceScope(scope.id);
    const checked = secrets.map((secret) => checkedSecret(place, secret));
    const known = this.#store.load()?.file.items;
    for (const [index, { name, wanted }] of checked.entries()) {
      if (checked.findIndex((other) => other.name === name) !== index) {
        throw new ToolError("INVALID_REQUEST", `${name} is there twice. Nothing was stored.`);
      }
      // Asked again under the lock; here it spares making a vault, and a key, for a mistyped command.
      bindingFor(name, known?.get(itemKey(place, name)), wanted);
    }
    if (checked.length === 0) return [];
    const { made, key, recoveryKey, answer } = await this.#change("previous", (before) => setSecrets(before, checked));
    return answer.map((outcome, index) => ({
      ...outcome,
      keySource: key,
      ...(made === undefined ? {} : { madeKeyFile: made }),
      ...(recoveryKey === undefined ? {} : { recoveryKey }),
      ...weaknessField(checked[index]?.value),
    }));
  }

  /**
   * Removes a secret, also from the backup. `globalExists`: a global secret has that name; the workspace does not get it
   * instead until it is trusted again.
   */
  async remove(scope: Scope, name: string): Promise<{ readonly removed: boolean; readonly globalExists: boolean }> {
    if (this.#store.load()?.file.items.get(itemKey(scope, name))?.kind !== "secret") return { removed: false, globalExists: false };
    return (await this.#change("same", (before) => removeSecret(before, { scope, name }))).answer;
  }

  /** Gives a secret another name; binding and age stay. Throws `ToolError` SECRET_MISSING, or INVALID_REQUEST for a name that is stored already, and what `resolve` throws. */
  async rename(scope: Scope, name: string, to: string): Promise<RenamedReport> {
    parseSecretName(to);
    this.#refuseMissing(scope, name);
    return (await this.#change("previous", (before) => renameSecret(before, { scope, name }, to))).answer;
  }

  /**
   * Lets a secret go to more hosts. Whoever does that has to have its value, so that nobody moves a key elsewhere without
   * having it. Throws `ToolError` SECRET_MISSING, INVALID_REQUEST for another value or a bad host, and what `resolve` throws.
   */
  async allow(scope: Scope, name: string, value: Secret, hosts: readonly string[]): Promise<ChangedHosts> {
    this.#refuseMissing(scope, name);
    const given = parseSecretValue(name, value, { allowShort: true, purpose: "use" });
    return (await this.#change("previous", (before) => allowHosts(before, { scope, name }, { value: given, hosts }))).answer;
  }

  /** Takes hosts away from a secret, also in the backup. Throws as `allow`; INVALID_REQUEST also for the last host. */
  async deny(scope: Scope, name: string, hosts: readonly string[]): Promise<ChangedHosts> {
    this.#refuseMissing(scope, name);
    return (await this.#change("same", (before) => denyHosts(before, { scope, name }, hosts))).answer;
  }

  /**
   * Gives the vault another master key, from the same or another source; `full` another data key too. The backup gets it
   * as well. Throws `ToolError` INVALID_REQUEST without a vault or for what has to be said, and what `resolve` throws.
   */
  rekey(options: RekeyOptions = {}): Promise<RekeyReport> {
    return rekeyVault(this.#rekeyParts(), options);
  }

  /** Makes a recovery key, to be shown once; one from before opens nothing any more. Throws as `rekey`. */
  newRecoveryKey(): Promise<Secret> {
    return makeRecoveryKey(this.#rekeyParts());
  }

  /** True if the vault has a recovery key; undefined while there is no vault. Needs no key. */
  hasRecovery(): boolean | undefined {
    const head = this.#store.load()?.file.head;
    return head === undefined ? undefined : head.recovery !== undefined;
  }

  [Symbol.dispose](): void {
    this.#keyRing[Symbol.dispose]();
  }

  #rekeyParts(): { readonly store: VaultStore; readonly keyRing: VaultKeyRing; readonly options: KeyRingOptions } {
    return { store: this.#store, keyRing: this.#keyRing, options: this.#options };
  }

  #refuseMissing(scope: Scope, name: string): void {
    if (this.#store.load()?.file.items.get(itemKey(scope, name))?.kind !== "secret") throw secretMissing(scope, name);
  }

  /** The file as it is now, with its keys. */
  async #open(): Promise<OpenedVault | undefined> {
    for (let round = 1; ; round++) {
      const stored = this.#store.load();
      if (stored === undefined) return undefined;
      try {
        return { file: stored.file, keys: await this.#keyRing.unlock(stored.file) };
      } catch (error) {
        // A change of the key replaces the file and then the key: who has read the one before and then the other reads again.
        if (round === MOST_ROUNDS || !this.#store.hasChangedSince(stored)) throw error;
      }
    }
  }

  async #change<Answer>(backup: "previous" | "same", edit: (before: BeforeEdit) => Edited<Answer>): Promise<Changed<Answer>> {
    // The key may take seconds to come; others need not wait for the lock meanwhile.
    await this.#open();
    return this.#store.exclusively(async (locked) => {
      const file = locked.stored?.file;
      if (file === undefined) {
        const { head, keys, made, recoveryKey } = await this.#keyRing.create();
        const { items, answer } = edit({ vaultId: head.id, gen: 0, items: new Map(), keys, nowMs: this.#now() });
        locked.write({ head, gen: 1, items }, keys, backup);
        return { answer, key: head.key, made, recoveryKey };
      }
      const { head, gen } = file;
      const keys = await this.#keyRing.unlock(file);
      await this.#keyRing.finishInterrupted(head);
      const { items, answer } = edit({ vaultId: head.id, gen, items: file.items, keys, nowMs: this.#now() });
      if (items !== file.items) locked.write({ head, gen: gen + 1, items }, keys, backup);
      return { answer, key: head.key, made: undefined, recoveryKey: undefined };
    });
  }
}

/** Rounds of reading file and key together. More than one change of the key within one reading is not to be expected. */
const MOST_ROUNDS = 3;

interface OpenedVault {
  readonly file: VaultFile;
  readonly keys: VaultKeys;
}

interface Changed<Answer> {
  readonly answer: Answer;
  readonly key: KeySource;
  readonly made: string | undefined;
  readonly recoveryKey: Secret | undefined;
}

function resolveOne(
  { file, keys }: OpenedVault,
  query: { readonly scope: Scope | undefined; readonly name: string; readonly trustedGlobal: TrustedGlobal },
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

function found(file: VaultFile, keys: VaultKeys, item: StoredItem): SecretResolution {
  const secret = openItem(file.head.id, keys, item);
  const hosts = item.binding.hosts.map((host) => parseHostPattern(host, { kind: "binding" }));
  return { kind: "found", scope: item.scope, secret, binding: item.binding, hosts };
}
