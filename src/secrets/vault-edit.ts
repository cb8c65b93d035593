/** Changes of the vault's items: what is there before goes in, all that is there afterwards comes out. Nothing is read or written here. */
import { ToolError } from "../core/errors.ts";
import { hostPatternText, parseHostPattern } from "../core/host-pattern.ts";
import { Secret } from "../core/secret.ts";
import { type Binding, bindingText, parseBinding } from "./binding.ts";
import { parseSecretName, parseSecretValue } from "./secret-value.ts";
import { isSameMac, seal, unseal } from "./vault-crypto.ts";
import { itemAad, itemKey, type Scope, tampered, type VaultFile, type VaultItem } from "./vault-file.ts";
import type { VaultKeys } from "./vault-keys.ts";

/** Items by `itemKey`. */
export type VaultItems = VaultFile["items"];

/** An item that is a secret. */
export type StoredItem = VaultItem & { readonly kind: "secret" };

/** The file before a change, with its keys. */
export interface BeforeEdit {
  readonly vaultId: string;
  readonly gen: number;
  readonly items: VaultItems;
  readonly keys: VaultKeys;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The items after a change, and what the change was. */
export interface Edited<Answer> {
  readonly items: VaultItems;
  readonly answer: Answer;
}

/** A secret's place. */
export interface SecretPlace {
  readonly scope: Scope;
  readonly name: string;
}

/** What storing one secret did. */
export interface SetOutcome {
  readonly kind: "stored" | "replaced";
  readonly binding: Binding;
}

/** A secret to be stored. */
export interface SecretToSet {
  readonly name: string;
  readonly value: Secret;
  /** Needed for a new name; a known one keeps its own, and a different one is refused. */
  readonly binding?: Binding;
  /** True: a value that is short and easy to guess is taken too. Default false. */
  readonly allowShort?: boolean;
}

/** What `set` stores: a value that was checked, and the binding that was asked for. */
export interface CheckedSecret extends SecretPlace {
  readonly value: Secret;
  readonly wanted: Binding | undefined;
}

/** The value of an item. Throws `ToolError` VAULT_TAMPERED if it does not belong to its place or binding. */
export function openItem(vaultId: string, keys: VaultKeys, item: StoredItem): Secret {
  const plain = unseal(keys.items, item.ct, itemAad(vaultId, item, item.binding));
  if (plain === undefined) throw tampered(`the value of ${item.name} does not belong to its place or its hosts`);
  const value = new Secret(plain.toString("utf8"));
  plain.fill(0);
  return value;
}

/** What is to be stored, checked. Throws `ToolError` INVALID_REQUEST. */
export function checkedSecret(scope: Scope, { name, value, binding, allowShort = false }: SecretToSet): CheckedSecret {
  parseSecretName(name);
  const checked = parseSecretValue(name, value, { allowShort });
  return { scope, name, value: checked, wanted: binding === undefined ? undefined : parseBinding(binding) };
}

/** Stores secrets, or replaces their values. Throws as `bindingFor`. */
export function setSecrets(before: BeforeEdit, secrets: readonly CheckedSecret[]): Edited<readonly SetOutcome[]> {
  let { items } = before;
  const answer = secrets.map((secret) => {
    const edited = setSecret({ ...before, items }, secret);
    items = edited.items;
    return edited.answer;
  });
  return { items, answer };
}

/** Removes a secret. Where a global one has its name, a mark stays that keeps that one from taking its place. */
export function removeSecret(
  before: BeforeEdit,
  { scope, name }: SecretPlace,
): Edited<{ readonly removed: boolean; readonly globalExists: boolean }> {
  const key = itemKey(scope, name);
  if (before.items.get(key)?.kind !== "secret") return { items: before.items, answer: { removed: false, globalExists: false } };
  const globalExists = hasGlobal(before, { scope, name });
  return { items: without(before, { scope, name }), answer: { removed: true, globalExists } };
}

/** What `rename` did. */
export interface RenamedReport {
  readonly binding: Binding;
  /** A global secret has the name before; the workspace does not get it instead until it is trusted again. */
  readonly leavesGlobal: boolean;
  /** A global secret has the new name; in this workspace its own wins. */
  readonly hidesGlobal: boolean;
}

/** Gives a secret another name. Throws `ToolError` SECRET_MISSING or INVALID_REQUEST. */
export function renameSecret(before: BeforeEdit, { scope, name }: SecretPlace, to: string): Edited<RenamedReport> {
  const item = storedItem(before, { scope, name });
  if (to === name) throw new ToolError("INVALID_REQUEST", `${name} has that name already. Nothing was changed.`);
  if (before.items.get(itemKey(scope, to))?.kind === "secret") {
    throw new ToolError("INVALID_REQUEST", `${to} is stored already. Remove it first, or choose another name; nothing was changed.`);
  }
  const leavesGlobal = hasGlobal(before, { scope, name });
  const value = openItem(before.vaultId, before.keys, item);
  const moved = { scope, name: to, setAtMs: item.setAtMs, binding: item.binding, value };
  const items = withItem({ ...before, items: without(before, { scope, name }) }, moved);
  return { items, answer: { binding: item.binding, leavesGlobal, hidesGlobal: hasGlobal(before, { scope, name: to }) } };
}

/** A binding after a change of its hosts; `changed`: those that were added or taken away, in canonical form. */
export interface ChangedHosts {
  readonly binding: Binding;
  readonly changed: readonly string[];
}

/** Lets a secret go to more hosts, for who has its value. Throws `ToolError` SECRET_MISSING or INVALID_REQUEST. */
export function allowHosts(
  before: BeforeEdit,
  place: SecretPlace,
  { value, hosts }: { readonly value: Secret; readonly hosts: readonly string[] },
): Edited<ChangedHosts> {
  const item = storedItem(before, place);
  const stored = openItem(before.vaultId, before.keys, item);
  if (!isSameMac(stored.reveal(), value.reveal())) {
    throw new ToolError(
      "INVALID_REQUEST",
      `That is not the value that is stored for ${item.name}, so its hosts stay as they are. Give the stored value; to replace it: toolyard secrets set ${item.name}`,
    );
  }
  const changed = canonicalHosts(hosts).filter((host) => !item.binding.hosts.includes(host));
  if (changed.length === 0) return { items: before.items, answer: { binding: item.binding, changed } };
  const binding = parseBinding({ ...item.binding, hosts: [...item.binding.hosts, ...changed] });
  return { items: withItem(before, { ...item, binding, value: stored }), answer: { binding, changed } };
}

/** Takes hosts away from a secret. Throws `ToolError` SECRET_MISSING, or INVALID_REQUEST for one it is not bound to and for its last. */
export function denyHosts(before: BeforeEdit, place: SecretPlace, hosts: readonly string[]): Edited<ChangedHosts> {
  const item = storedItem(before, place);
  const bound = item.binding.hosts;
  const changed = canonicalHosts(hosts);
  const unknown = changed.find((host) => !bound.includes(host));
  if (unknown !== undefined) {
    throw new ToolError(
      "INVALID_REQUEST",
      `${item.name} is not bound to ${unknown}, but to ${bound.join(", ")}. Name one of these as it stands there; nothing was changed.`,
    );
  }
  const left = bound.filter((host) => !changed.includes(host));
  if (left.length === 0) {
    throw new ToolError(
      "INVALID_REQUEST",
      `${item.name} would have no host left, and a secret needs one. To take it away as a whole: toolyard secrets remove ${item.name}`,
    );
  }
  const binding = { ...item.binding, hosts: left };
  const value = openItem(before.vaultId, before.keys, item);
  return { items: withItem(before, { ...item, binding, value }), answer: { binding, changed } };
}

/** All items with their values encrypted by another data key's keys; place, time and marks stay. */
export function reencrypt(
  vaultId: string,
  items: VaultItems,
  { from, to }: { readonly from: VaultKeys; readonly to: VaultKeys },
): VaultItems {
  return new Map(
    [...items].map(([key, item]): [string, VaultItem] => {
      if (item.kind !== "secret") return [key, item];
      const plain = Buffer.from(openItem(vaultId, from, item).reveal());
      const ct = seal(to.items, plain, itemAad(vaultId, item, item.binding));
      plain.fill(0);
      return [key, { ...item, ct }];
    }),
  );
}

/** The binding a secret gets. Throws `ToolError` INVALID_REQUEST for a new name without one, and for another than a known name has. */
export function bindingFor(name: string, before: VaultItem | undefined, wanted: Binding | undefined): Binding {
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
    `${name} is stored already and bound to ${bindingText(before.binding)}. To replace only the value, leave the hosts out (--host), or give the same ones in a map; for another host: toolyard secrets allow ${name} --host HOST; for anything else of the binding, remove it first: toolyard secrets remove ${name}`,
  );
}

function setSecret(before: BeforeEdit, { scope, name, value, wanted }: CheckedSecret): Edited<SetOutcome> {
  const known = before.items.get(itemKey(scope, name));
  const binding = bindingFor(name, known, wanted);
  const items = withItem(before, { scope, name, setAtMs: before.nowMs, binding, value });
  return { items, answer: { kind: known?.kind === "secret" ? "replaced" : "stored", binding } };
}

function canonicalHosts(hosts: readonly string[]): readonly string[] {
  if (hosts.length === 0) throw new ToolError("INVALID_REQUEST", "No host was given. Name at least one: --host api.example.com");
  return [...new Set(hosts.map((host) => hostPatternText(parseHostPattern(host, { kind: "binding" }))))];
}

function storedItem({ items }: BeforeEdit, { scope, name }: SecretPlace): StoredItem {
  const item = items.get(itemKey(scope, name));
  if (item?.kind === "secret") return item;
  throw secretMissing(scope, name);
}

/** SECRET_MISSING for a name that is not stored in the scope. */
export function secretMissing(scope: Scope, name: string): ToolError {
  const whose = scope.kind === "global" ? "for all workspaces" : "for this workspace";
  return new ToolError("SECRET_MISSING", `${name} is not stored ${whose}. toolyard secrets list shows what is.`);
}

function hasGlobal({ items }: BeforeEdit, { scope, name }: SecretPlace): boolean {
  return scope.kind === "workspace" && items.get(itemKey({ kind: "global" }, name))?.kind === "secret";
}

function without(before: BeforeEdit, place: SecretPlace): VaultItems {
  const items = new Map(before.items);
  if (hasGlobal(before, place))
    items.set(itemKey(place.scope, place.name), { ...place, kind: "removed", gen: before.gen + 1, setAtMs: before.nowMs });
  else items.delete(itemKey(place.scope, place.name));
  return items;
}

interface PlainItem extends SecretPlace {
  readonly setAtMs: number;
  readonly binding: Binding;
  readonly value: Secret;
}

function withItem({ vaultId, gen, items, keys }: BeforeEdit, { scope, name, setAtMs, binding, value }: PlainItem): VaultItems {
  const place = { scope, name, gen: gen + 1, setAtMs };
  const plain = Buffer.from(value.reveal());
  const ct = seal(keys.items, plain, itemAad(vaultId, place, binding));
  plain.fill(0);
  return new Map(items).set(itemKey(scope, name), { ...place, kind: "secret", binding, ct });
}
