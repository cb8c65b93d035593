/**
 * Renames keys of values, where a schema names them and nowhere else: a map of free keys keeps its keys. A place of the
 * value is known by all schemas that may judge it, alternatives and conditions included.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { pathText } from "../value-path.ts";
import { listAt, mapAt, textsAt } from "./forms.ts";
import type { KeyNames } from "./key-names.ts";

/** A value with keys as the script knows them, or the two keys that are one and the same. */
export type RestoreOutcome =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly path: string; readonly published: string; readonly original: string };

/** The names of one schema's keys, both ways. */
export interface KeyRename {
  readonly names: KeyNames;
  /** Published keys become those of the user; those of the user stay. Fails where both are given for one. */
  restore(value: JsonValue): RestoreOutcome;
  /** Keys of the user become the published ones. */
  publish(value: JsonValue): JsonValue;
}

/** Schemas that may judge one place of a value. */
export type Location = readonly JsonObject[];

/** Follows one schema through a value. */
export interface Locator {
  /** The same place, with every schema that holds or may hold there. */
  expand(location: Location): Location;
  keysAt(location: Location): ReadonlySet<string>;
  member(location: Location, key: string): Location;
  element(location: Location, index: number): Location;
}

/** Deeper values are refused by the check that follows; here they stay as they are. */
const MAX_DEPTH = 300;

const IN_PLACE = ["if", "then", "else", "not"] as const;
const IN_PLACE_LISTS = ["allOf", "anyOf", "oneOf"] as const;
const IN_PLACE_MAPS = ["dependentSchemas", "dependencies"] as const;

/** A locator; `targetsOf` says what the references of a schema lead to. */
export function createLocator(targetsOf: (schema: JsonObject) => readonly JsonValue[]): Locator {
  const expand = (location: Location): Location => {
    const found = new Set<JsonObject>();
    const waiting: JsonValue[] = [...location];
    while (waiting.length > 0) {
      const schema = waiting.pop();
      if (!isJsonObject(schema) || found.has(schema)) continue;
      found.add(schema);
      waiting.push(...targetsOf(schema));
      for (const keyword of IN_PLACE) waiting.push(schema[keyword] ?? true);
      for (const keyword of IN_PLACE_LISTS) waiting.push(...listAt(schema, keyword));
      for (const keyword of IN_PLACE_MAPS) waiting.push(...Object.values(mapAt(schema, keyword)));
    }
    return [...found];
  };
  const under = (location: Location, below: (schema: JsonObject) => readonly (JsonValue | undefined)[]): Location =>
    expand(location.flatMap(below).filter(isJsonObject));
  return {
    expand,
    keysAt: (location) => new Set(location.flatMap(namedKeys)),
    member: (location, key) =>
      under(location, (schema) => {
        const properties = mapAt(schema, "properties");
        const named = Object.hasOwn(properties, key) ? [properties[key]] : [];
        return [...named, ...Object.values(mapAt(schema, "patternProperties")), schema.additionalProperties, schema.unevaluatedProperties];
      }),
    element: (location, index) =>
      under(location, (schema) => {
        const named = [listAt(schema, "prefixItems")[index], listAt(schema, "items")[index]];
        return [...named, schema.items, schema.additionalItems, schema.unevaluatedItems, schema.contains];
      }),
  };
}

/** Every key that a schema names for the value it judges. */
function namedKeys(schema: JsonObject): readonly string[] {
  const dependent = ["dependentRequired", "dependentSchemas", "dependencies"].flatMap((keyword) => {
    const map = mapAt(schema, keyword);
    return [...Object.keys(map), ...Object.keys(map).flatMap((key) => textsAt(map, key))];
  });
  return [...Object.keys(mapAt(schema, "properties")), ...textsAt(schema, "required"), ...dependent];
}

/** The rename of a schema; `root` is the user's own. */
export function createKeyRename(root: JsonObject, names: KeyNames, locator: Locator): KeyRename {
  if (names.size === 0) return { names, restore: (value) => ({ ok: true, value }), publish: (value) => value };
  const originals: KeyNames = new Map([...names].map(([key, name]) => [name, key]));
  const start = (): Location => locator.expand([root]);
  return {
    names,
    publish: (value) => renameAt(start(), value, { locator, names, depth: 0 }),
    restore: (value) => {
      const clash = findClash(start(), value, { locator, names, originals, path: [] });
      return clash === undefined ? { ok: true, value: renameAt(start(), value, { locator, names: originals, depth: 0 }) } : clash;
    },
  };
}

/** The value with the keys that the schemas name in their other form; `names` may lead either way. */
export function renameAt(
  location: Location,
  value: JsonValue,
  { locator, names, depth }: { readonly locator: Locator; readonly names: KeyNames; readonly depth: number },
): JsonValue {
  if (typeof value !== "object" || value === null || location.length === 0 || depth > MAX_DEPTH) return value;
  const below = (place: Location, item: JsonValue): JsonValue => renameAt(place, item, { locator, names, depth: depth + 1 });
  if (!isJsonObject(value)) return value.map((item, index) => below(locator.element(location, index), item));
  const known = locator.keysAt(location);
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    const other = names.get(key);
    // Only a name that stands for a key of this place; of two names for one place the schema names just one.
    const isMeant = other !== undefined && (known.has(key) || known.has(other));
    const place = locator.member(location, isMeant && known.has(other) ? other : key);
    return [isMeant ? other : key, below(place, item)];
  });
  return Object.fromEntries(entries);
}

function findClash(
  location: Location,
  value: JsonValue,
  context: {
    readonly locator: Locator;
    readonly names: KeyNames;
    readonly originals: KeyNames;
    readonly path: readonly (string | number)[];
  },
): Extract<RestoreOutcome, { ok: false }> | undefined {
  const { locator, names, originals, path } = context;
  if (typeof value !== "object" || value === null || location.length === 0 || path.length > MAX_DEPTH) return undefined;
  if (isJsonObject(value)) {
    for (const original of locator.keysAt(location)) {
      const published = names.get(original);
      if (published === undefined || !Object.hasOwn(value, original) || !Object.hasOwn(value, published)) continue;
      return { ok: false, path: pathText([...path, published]), published, original };
    }
  }
  const parts: readonly (readonly [string | number, JsonValue])[] = isJsonObject(value) ? Object.entries(value) : [...value.entries()];
  for (const [part, item] of parts) {
    const key = typeof part === "string" ? (originals.get(part) ?? part) : part;
    const place = typeof key === "number" ? locator.element(location, key) : locator.member(location, key);
    const found = findClash(place, item, { ...context, path: [...path, part] });
    if (found !== undefined) return found;
  }
  return undefined;
}
