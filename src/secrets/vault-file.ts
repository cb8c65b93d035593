/**
 * The vault's file format, version 1: one JSON text that has exactly one spelling. Every file that was read is written
 * out again and compared, so blanks, key order, unknown keys and second spellings of base64 cannot be used to change it.
 * Names, hosts and times are readable in the file; values are not.
 */
import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import type { Binding } from "./binding.ts";
import { ARGON2_BOUNDS, deriveKey, unseal } from "./vault-crypto.ts";

/** Version of the format. */
const VAULT_VERSION = 1;

/** Largest vault file, in bytes: 250 secrets of the largest size. */
export const MAX_VAULT_BYTES = 16 * 1_024 * 1_024;

const FORMAT = "toolyard-vault";

/** Who may use a secret: one workspace, or every workspace that was trusted with it. */
export type Scope = { readonly kind: "global" } | { readonly kind: "workspace"; readonly id: string };

/** Where the master key comes from; stands in the file, so that it never changes silently. */
export type KeySource =
  | { readonly kind: "key-file" }
  | { readonly kind: "credential" }
  | { readonly kind: "keychain" }
  | {
      readonly kind: "passphrase";
      readonly kdf: { readonly type: "argon2id"; readonly m: number; readonly t: number; readonly p: number; readonly salt: string };
    };

/** A stored secret, or the mark that a workspace's own secret was removed while a global one of its name exists. */
export type VaultItem = {
  readonly scope: Scope;
  readonly name: string;
  /** Generation of the file that wrote it. */
  readonly gen: number;
  /** Milliseconds since 1970. */
  readonly setAtMs: number;
} & ({ readonly kind: "secret"; readonly binding: Binding; readonly ct: string } | { readonly kind: "removed" });

/** The file's head: what opening it needs. */
export interface VaultHead {
  readonly id: string;
  readonly key: KeySource;
  /** The data key, encrypted with the master key. */
  readonly wrap: string;
  /** The data key, encrypted with a recovery key, where there is one. */
  readonly recovery?: string;
}

/** A parsed file. Nothing in it is to be believed before its MAC was checked. */
export interface VaultFile {
  readonly head: VaultHead;
  /** Rises by one with each write. */
  readonly gen: number;
  /** By `itemKey`. */
  readonly items: ReadonlyMap<string, VaultItem>;
  readonly mac: string;
}

/** Key of an item: scope and name. */
export function itemKey(scope: Scope, name: string): string {
  return `${scopeText(scope)} ${name}`;
}

/** Checks an id of a workspace, which may come from a file that others wrote. Throws `ToolError` INVALID_REQUEST. */
export function workspaceScope(id: string): Scope {
  if (!WORKSPACE_ID.test(id))
    throw new ToolError("INVALID_REQUEST", "The id of the workspace (.toolyard/id) is malformed. Delete that file; a new one is made.");
  return { kind: "workspace", id };
}

/** What the data key's wrapping is bound to. */
export function wrapAad(id: string, key: KeySource): string {
  return JSON.stringify([FORMAT, VAULT_VERSION, "wrap", id, keyToJson(key)]);
}

/** The data key, if this is the master key of the vault with that head. */
export function openHead(master: Uint8Array, { id, key, wrap }: Omit<VaultHead, "recovery">): Buffer | undefined {
  return unseal(deriveKey(master, id, "wrap"), wrap, wrapAad(id, key));
}

/** True if this is the master key of the vault with that head. */
export function opensHead(master: Uint8Array, head: VaultHead): boolean {
  const dataKey = openHead(master, head);
  dataKey?.fill(0);
  return dataKey !== undefined;
}

/** What the data key's wrapping for recovery is bound to: the vault only, since it outlives a change of the master key. */
export function recoveryAad(id: string): string {
  return JSON.stringify([FORMAT, VAULT_VERSION, "recovery", id]);
}

/** What an item's encryption is bound to: its place, its age and the whole binding. */
export function itemAad(vaultId: string, item: Pick<VaultItem, "scope" | "name" | "gen" | "setAtMs">, binding: Binding): string {
  const { hosts, header = null, format = null, methods = null } = binding;
  const place = [scopeText(item.scope), item.name, item.gen, item.setAtMs];
  return JSON.stringify([FORMAT, VAULT_VERSION, "item", vaultId, ...place, [hosts, header, format, methods]]);
}

/** The text the MAC is taken over: the file without its MAC. */
export function macText(file: Omit<VaultFile, "mac">): string {
  return JSON.stringify(toJson(file));
}

/** The file as text. */
export function serializeVault(file: VaultFile): string {
  return `${JSON.stringify({ ...toJson(file), mac: file.mac }, null, 2)}\n`;
}

/** Parses the text of a vault file. Throws `ToolError` FILE_VERSION for a newer one, VAULT_TAMPERED for anything `serializeVault` would not write. */
export function parseVault(text: string): VaultFile {
  const json = parseJson(text);
  refuseNewer(json);
  const parsed = FILE.safeParse(json);
  if (!parsed.success) throw tampered(faultText(text, json, parsed.error));
  const { id, key, wrap, recovery, gen, items, mac } = parsed.data;
  const file: VaultFile = {
    head: { id, key: keyFromJson(key), wrap, ...(recovery === undefined ? {} : { recovery }) },
    gen,
    items: new Map(items.map((item) => [`${item.scope} ${item.name}`, itemFromJson(item)])),
    mac,
  };
  if (serializeVault(file) !== text) throw tampered("its text is not in the form toolyard writes");
  return file;
}

/** What is wrong with the file as a whole, or its first place that is not as it should be; nothing of its text. */
function faultText(text: string, json: unknown, error: z.ZodError): string {
  if (text.trim() === "") return "it is empty";
  if (json === undefined) return "it is not JSON, as if it had been cut off or overwritten";
  const place = error.issues[0]?.path.join(".") ?? "";
  return place === "" ? "it is not an object with the keys that toolyard writes" : `"${place}" is not as toolyard writes it`;
}

/** VAULT_TAMPERED with what was found and where to look. */
export function tampered(found: string): ToolError {
  return new ToolError(
    "VAULT_TAMPERED",
    `vault.json was changed or damaged outside toolyard: ${found}. It was left as it is, and no secret of it is used. Beside it, vault.json.bak holds the vault before its last change (after it, if that took something away). Compare, then put it back by hand.`,
  );
}

/** Undefined for what is no JSON. The parser's error is not passed on, since it quotes the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // See above.
    return undefined;
  }
}

const WORKSPACE_ID = /^[a-z0-9][a-z0-9-]{7,127}$/;
const COUNT = z.int().min(0);

function base64(minBytes: number, maxBytes: number): z.ZodType<string> {
  return z.string().refine((text) => {
    const bytes = Buffer.from(text, "base64");
    return bytes.length >= minBytes && bytes.length <= maxBytes && bytes.toString("base64") === text;
  });
}

/** IV and tag around 32 bytes of key. */
const WRAPPED_KEY = base64(60, 60);

const KDF = z.strictObject({
  type: z.literal("argon2id"),
  m: z.int().min(ARGON2_BOUNDS.m[0]).max(ARGON2_BOUNDS.m[1]),
  t: z.int().min(ARGON2_BOUNDS.t[0]).max(ARGON2_BOUNDS.t[1]),
  p: z.int().min(ARGON2_BOUNDS.p[0]).max(ARGON2_BOUNDS.p[1]),
  salt: base64(16, 16),
});

const KEY = z.discriminatedUnion("source", [
  z.strictObject({ source: z.literal("key-file") }),
  z.strictObject({ source: z.literal("credential") }),
  z.strictObject({ source: z.literal("keychain") }),
  z.strictObject({ source: z.literal("passphrase"), kdf: KDF }),
]);

const BINDING = z.strictObject({
  hosts: z.array(z.string().min(1)).min(1),
  header: z.string().optional(),
  format: z.string().optional(),
  methods: z.array(z.string()).min(1).optional(),
});

const PLACE = {
  scope: z.string().refine((text) => text === "global" || (text.startsWith("workspace:") && WORKSPACE_ID.test(text.slice(10)))),
  name: z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/),
  gen: COUNT,
  setAtMs: COUNT,
};

const ITEM = z.union([
  z.strictObject({ ...PLACE, binding: BINDING, ct: base64(29, 28 + 65_536) }),
  z.strictObject({ ...PLACE, removed: z.literal(true) }),
]);

const FILE = z.strictObject({
  format: z.literal(FORMAT),
  v: z.literal(VAULT_VERSION),
  id: z.string().regex(/^[0-9a-v]{26}$/),
  key: KEY,
  wrap: WRAPPED_KEY,
  recovery: WRAPPED_KEY.optional(),
  gen: COUNT,
  items: z.array(ITEM),
  mac: base64(32, 32),
});

function refuseNewer(json: unknown): void {
  const head = z.object({ format: z.literal(FORMAT), v: z.int().min(VAULT_VERSION + 1), needs: z.string().optional() }).safeParse(json);
  if (!head.success) return;
  // A later toolyard that raises the format says in "needs" which of its versions reads it.
  const needs = /^\d{1,4}\.\d{1,4}\.\d{1,4}$/.test(head.data.needs ?? "") ? `toolyard ${head.data.needs}` : "a newer toolyard";
  throw new ToolError(
    "FILE_VERSION",
    `vault.json has format ${head.data.v}; this toolyard reads format ${VAULT_VERSION}. Update to ${needs}. The file was left as it is.`,
  );
}

function scopeText(scope: Scope): string {
  return scope.kind === "global" ? "global" : `workspace:${scope.id}`;
}

function toJson({ head, gen, items }: Omit<VaultFile, "mac">): object {
  const ordered = [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => itemToJson(item));
  const { id, key, wrap, recovery } = head;
  return { format: FORMAT, v: VAULT_VERSION, id, key: keyToJson(key), wrap, recovery, gen, items: ordered };
}

function itemToJson(item: VaultItem): object {
  const place = { scope: scopeText(item.scope), name: item.name, gen: item.gen, setAtMs: item.setAtMs };
  if (item.kind === "removed") return { ...place, removed: true };
  const { hosts, header, format, methods } = item.binding;
  return { ...place, binding: { hosts, header, format, methods }, ct: item.ct };
}

function itemFromJson(json: z.infer<typeof ITEM>): VaultItem {
  const scope: Scope = json.scope === "global" ? { kind: "global" } : { kind: "workspace", id: json.scope.slice("workspace:".length) };
  const place = { scope, name: json.name, gen: json.gen, setAtMs: json.setAtMs };
  if ("removed" in json) return { ...place, kind: "removed" };
  const { hosts, header, format, methods } = json.binding;
  const binding: Binding = {
    hosts,
    ...(header === undefined ? {} : { header }),
    ...(format === undefined ? {} : { format }),
    ...(methods === undefined ? {} : { methods }),
  };
  return { ...place, kind: "secret", binding, ct: json.ct };
}

function keyToJson(key: KeySource): object {
  if (key.kind !== "passphrase") return { source: key.kind };
  const { type, m, t, p, salt } = key.kdf;
  return { source: key.kind, kdf: { type, m, t, p, salt } };
}

function keyFromJson(json: z.infer<typeof KEY>): KeySource {
  return json.source === "passphrase" ? { kind: "passphrase", kdf: json.kdf } : { kind: json.source };
}
