/** Another master key, another data key or another recovery key for a vault that exists. The secrets stay what they are. */
import { ToolError } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";
import { type KeyChange, type NewKey, prepareKeyChange, sameKind } from "./key-change.ts";
import { createRecovery } from "./recovery.ts";
import { newKey } from "./vault-crypto.ts";
import { reencrypt } from "./vault-edit.ts";
import type { KeySource, VaultFile, VaultHead } from "./vault-file.ts";
import { deriveKeys, type KeyRingOptions, type VaultKeyRing, type VaultKeys, wrapped } from "./vault-keys.ts";
import type { LockedVault, StoredVault, VaultStore } from "./vault-store.ts";

/** What is changed beside the master key, and where the new one goes. */
export interface RekeyOptions {
  /** True: a new data key too, and every value encrypted anew; for who had both file and key. Default false. */
  readonly full?: boolean;
  /** Default: the source stays, which only toolyard's own key file and the keychain allow. */
  readonly to?: NewKey;
  /** Opens the vault in place of a key that is lost; `to` is needed then. */
  readonly recoveryKey?: Secret;
}

/** What `rekey` did. */
export interface RekeyReport {
  readonly from: KeySource;
  readonly to: KeySource;
  readonly full: boolean;
  /** The vault's new recovery key, where a full change made the one before useless. To be shown once. */
  readonly recoveryKey?: Secret;
  /** What the person has to do now, a line each; mostly nothing. */
  readonly advice: readonly string[];
}

/** What these changes work on. */
export interface RekeyParts {
  readonly store: VaultStore;
  readonly keyRing: VaultKeyRing;
  readonly options: KeyRingOptions;
}

/** See `Vault.rekey`. */
export async function rekeyVault(parts: RekeyParts, { full = false, to, recoveryKey }: RekeyOptions): Promise<RekeyReport> {
  const { store, keyRing, options } = parts;
  const seen = existing(store);
  const { head } = seen.file;
  if (recoveryKey !== undefined && to === undefined) {
    throw new ToolError("INVALID_REQUEST", "Say where the new key goes, such as --to key-file. Nothing was changed.");
  }
  const target = to ?? sameKind(head.key, options);
  // Both may take seconds, or ask a person; others need not wait for the lock meanwhile.
  const dataKey = await keyRing.readDataKey(seen.file, recoveryKey);
  const change = await prepareKeyChange(target, head, options);
  try {
    const { next, advice } = await store.exclusively(async (locked) => {
      const stored = await unchangedKey(parts, locked, seen);
      const next = nextState({ file: stored.file, keys: await keyRing.unlock(stored.file), dataKey, full, change });
      return { next, advice: await commit(parts, locked, { ...next, change }) };
    });
    const made = next.recoveryKey === undefined ? {} : { recoveryKey: next.recoveryKey };
    return { from: head.key, to: change.source, full, advice, ...made };
  } finally {
    dataKey.fill(0);
    change.key.fill(0);
  }
}

/** See `Vault.newRecoveryKey`. */
export async function makeRecoveryKey(parts: RekeyParts): Promise<Secret> {
  const { store, keyRing } = parts;
  const seen = existing(store);
  const dataKey = await keyRing.readDataKey(seen.file);
  try {
    return await store.exclusively(async (locked) => {
      const { file } = await unchangedKey(parts, locked, seen);
      const { key, wrap } = createRecovery(file.head.id, dataKey);
      // Not the backup as it was: the key before would open it for ever.
      locked.write({ head: { ...file.head, recovery: wrap }, gen: file.gen + 1, items: file.items }, await keyRing.unlock(file), "same");
      return key;
    });
  } finally {
    dataKey.fill(0);
  }
}

function existing(store: VaultStore): StoredVault {
  const stored = store.load();
  if (stored !== undefined) return stored;
  throw new ToolError("INVALID_REQUEST", "There is no vault yet, so it has no key. The first toolyard secrets set makes both.");
}

/** The vault as it is under the lock, with its key as it was before the lock. */
async function unchangedKey({ keyRing }: RekeyParts, { stored }: LockedVault, seen: StoredVault): Promise<StoredVault> {
  if (stored === undefined || stored.file.head.wrap !== seen.file.head.wrap) {
    throw new ToolError("STORE_ERROR", "Another process changed the vault's key meanwhile. Nothing was changed by this one; try again.");
  }
  await keyRing.unlock(stored.file);
  await keyRing.finishInterrupted(stored.file.head);
  return stored;
}

interface NextState {
  readonly state: Omit<VaultFile, "mac">;
  readonly keys: VaultKeys;
  readonly recoveryKey: Secret | undefined;
}

function nextState(parts: {
  readonly file: VaultFile;
  readonly keys: VaultKeys;
  readonly dataKey: Buffer;
  readonly full: boolean;
  readonly change: KeyChange;
}): NextState {
  const { file, dataKey, full, change, keys } = parts;
  const { id, recovery } = file.head;
  const place = { id, key: change.source };
  const gen = file.gen + 1;
  if (!full) {
    const head = { ...wrapped(place, change.key, dataKey), ...(recovery === undefined ? {} : { recovery }) };
    return { state: { head, gen, items: file.items }, keys: deriveKeys(id, dataKey), recoveryKey: undefined };
  }
  const fresh = newKey();
  const renewed = recovery === undefined ? undefined : createRecovery(id, fresh);
  const head: VaultHead = { ...wrapped(place, change.key, fresh), ...(renewed === undefined ? {} : { recovery: renewed.wrap }) };
  const freshKeys = deriveKeys(id, fresh);
  fresh.fill(0);
  const items = reencrypt(id, file.items, { from: keys, to: freshKeys });
  return { state: { head, gen, items }, keys: freshKeys, recoveryKey: renewed?.key };
}

/** Key beside the present one, vault with it, key in its place. */
async function commit(
  { store, keyRing }: RekeyParts,
  locked: LockedVault,
  { state, keys, change }: NextState & { readonly change: KeyChange },
): Promise<readonly string[]> {
  await change.place();
  try {
    locked.renew();
    locked.write(state, keys, "same");
  } catch (error) {
    await withdrawUnlessWritten(store, state.head, change);
    throw error;
  }
  keyRing.keep(state.head, keys);
  // Another process that took over the lock has finished this already, or will.
  if (!locked.renew()) return [];
  try {
    return await change.finish();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return [`The vault has its new key, but the change could not be finished: ${error.message} The next change of the vault does it.`];
  }
}

/** A write can fail after the file was replaced; then the new key is the only one there is. */
async function withdrawUnlessWritten(store: VaultStore, head: VaultHead, change: KeyChange): Promise<void> {
  try {
    if (store.load()?.file.head.wrap !== head.wrap) await change.withdraw();
  } catch (error) {
    // What is left beside the present key harms nothing, and the error that led here is the one to tell.
    if (!(error instanceof ToolError)) throw error;
  }
}
