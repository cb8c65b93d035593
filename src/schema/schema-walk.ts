/** Walks a JSON Schema by the meaning of its keywords: a property that is named "$ref" is not a reference. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";

/** One schema inside another. */
export interface Subschema {
  /** JSON pointer from the root. */
  readonly pointer: string;
  readonly schema: JsonObject;
  /** The schema that `#` means here: the root, or the nearest one above with an `$id` of its own. */
  readonly resource: JsonObject;
}

/** A schema directly below another. `inPlace`: it judges the same value as the one above. */
interface Child {
  readonly pointer: string;
  readonly schema: JsonValue;
  readonly inPlace: boolean;
}

const SCHEMA_KEYWORDS = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "items",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
const IN_PLACE_KEYWORDS = ["else", "if", "not", "then"] as const;
const LIST_KEYWORDS = ["prefixItems", "items"] as const;
const IN_PLACE_LIST_KEYWORDS = ["allOf", "anyOf", "oneOf"] as const;
const MAP_KEYWORDS = ["$defs", "definitions", "patternProperties", "properties"] as const;
const IN_PLACE_MAP_KEYWORDS = ["dependencies", "dependentSchemas"] as const;

/** Keywords whose value names another schema. */
export const REFERENCE_KEYWORDS = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** Every schema inside `root`, itself first, with those that only a reference reaches; each object once. */
export function subschemasOf(root: JsonObject): readonly Subschema[] {
  const found: Subschema[] = [];
  const seen = new Set<JsonObject>();
  const waiting: Subschema[] = [{ pointer: "", schema: root, resource: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { pointer, schema, resource } = next;
    if (seen.has(schema)) continue;
    seen.add(schema);
    found.push(next);
    const add = (childPointer: string, child: JsonValue | undefined, base: JsonObject): void => {
      if (!isJsonObject(child)) return;
      waiting.push({ pointer: childPointer, schema: child, resource: hasOwnResource(child) ? child : base });
    };
    for (const child of childrenOf(schema)) add(pointer + child.pointer, child.schema, resource);
    for (const keyword of REFERENCE_KEYWORDS) {
      const reference = schema[keyword];
      // A pointer may lead to a place that no keyword names, such as "#/components/Point".
      if (typeof reference === "string" && reference.startsWith("#/"))
        add(reference.slice(1), pointerTarget(resource, reference), resource);
    }
  }
  return found;
}

/** The schemas that judge the same value as `schema`, by its keywords; references are not followed. */
export function inPlaceChildren(schema: JsonObject): readonly JsonValue[] {
  return childrenOf(schema)
    .filter((child) => child.inPlace)
    .map((child) => child.schema);
}

/** What a reference of the form `#/a/b` means in a resource; undefined if nothing is there. `#` is the resource itself. */
export function pointerTarget(resource: JsonObject, reference: string): JsonValue | undefined {
  let value: JsonValue | undefined = resource;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decodePart(part);
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** A key as part of a JSON pointer (RFC 6901). */
export function pointerPart(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The keys of a JSON pointer. */
export function pointerKeys(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodePart(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain; // a bare "%" in a key; then the text stands for itself
  }
}

function hasOwnResource(schema: JsonObject): boolean {
  const id = schema.$id ?? schema.id;
  return typeof id === "string" && id !== "" && !id.startsWith("#");
}

function childrenOf(schema: JsonObject): readonly Child[] {
  const children: Child[] = [];
  const single = (keywords: readonly string[], inPlace: boolean): void => {
    for (const keyword of keywords) {
      const value = schema[keyword];
      if (value !== undefined && !Array.isArray(value)) children.push({ pointer: pointerPart(keyword), schema: value, inPlace });
    }
  };
  const list = (keywords: readonly string[], inPlace: boolean): void => {
    for (const keyword of keywords) {
      const value = schema[keyword];
      if (!Array.isArray(value)) continue;
      for (const [index, item] of value.entries()) {
        children.push({ pointer: pointerPart(keyword) + pointerPart(index), schema: item, inPlace });
      }
    }
  };
  const map = (keywords: readonly string[], inPlace: boolean): void => {
    for (const keyword of keywords) {
      const value = schema[keyword];
      if (!isJsonObject(value)) continue;
      for (const [key, item] of Object.entries(value)) {
        children.push({ pointer: pointerPart(keyword) + pointerPart(key), schema: item, inPlace });
      }
    }
  };
  single(SCHEMA_KEYWORDS, false);
  single(IN_PLACE_KEYWORDS, true);
  list(LIST_KEYWORDS, false);
  list(IN_PLACE_LIST_KEYWORDS, true);
  map(MAP_KEYWORDS, false);
  map(IN_PLACE_MAP_KEYWORDS, true);
  return children;
}
