/**
 * Names for keys that model services refuse. The name depends on the key and on the other keys of the same schema only,
 * so a tool's names stay as they are from one reload to the next.
 */
import { isJsonObject } from "../../core/json.ts";
import type { Subschema } from "../schema-walk.ts";
import { textsAt } from "./forms.ts";

/** Keys that every known service takes: Anthropic's API answers 400 to others (`^[a-zA-Z0-9_.-]{1,64}$`). */
const SAFE_KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_KEY_CHARACTERS = 64;

/**
 * A key that must not stand at the top of `properties` or of a structured result: zod 3.25 (its v4 part) and 4.0 to 4.1.12 take
 * an object that has it for no plain one, and the 1.x SDK with such a zod refuses the whole tool list or result (colinhacks/zod
 * issue 5066, mended by its pull request 5098). Further down it is taken.
 */
export const REFUSED_AT_TOP = "constructor";

/** The name of that key. The value of a result keeps it; only its form for clients has this name. */
export const REFUSED_AT_TOP_NAME = `${REFUSED_AT_TOP}_2`;

/** True if every known client takes the key; `isAtTop`: in the `properties` of the whole. */
export function isSafeKey(key: string, isAtTop: boolean): boolean {
  return SAFE_KEY.test(key) && !(isAtTop && key === REFUSED_AT_TOP);
}

/** Key of the user to published key; only those that differ. No two are the same, and none is a key of the schema. */
export type KeyNames = ReadonlyMap<string, string>;

/** Names for every unsafe key that a schema mentions, wherever in it; `subschemas` are all those inside, `topKeys` what it names for the whole. */
export function nameKeys(subschemas: readonly Subschema[], topKeys: ReadonlySet<string>): KeyNames {
  const keys = mentionedKeys(subschemas);
  const taken = new Set(keys);
  const names = new Map<string, string>();
  for (const key of keys) {
    if (isSafeKey(key, topKeys.has(key))) continue;
    const name = freeName(safeForm(key), taken);
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

function mentionedKeys(subschemas: readonly Subschema[]): ReadonlySet<string> {
  const keys = new Set<string>();
  // In the order of the file: the walk itself goes by depth.
  for (const { schema } of subschemas.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1))) {
    for (const keyword of ["properties", "dependentRequired", "dependentSchemas", "dependencies"] as const) {
      const map = schema[keyword];
      if (!isJsonObject(map)) continue;
      for (const [key, value] of Object.entries(map)) {
        keys.add(key);
        if (Array.isArray(value)) for (const other of value) if (typeof other === "string") keys.add(other);
      }
    }
    for (const key of textsAt(schema, "required")) keys.add(key);
  }
  return keys;
}

function plainLetters(key: string): string {
  return key.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss").replaceAll("æ", "ae").replaceAll("ø", "o");
}

/** Letters without their marks, everything else that is not allowed as one underscore. */
function safeForm(key: string): string {
  const safe = plainLetters(key)
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, MAX_KEY_CHARACTERS);
  return safe === "" || safe === "." || safe === ".." ? "key" : safe;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const ending = `_${number}`;
    const candidate = name.slice(0, MAX_KEY_CHARACTERS - ending.length) + ending;
    if (!taken.has(candidate)) return candidate;
  }
}
