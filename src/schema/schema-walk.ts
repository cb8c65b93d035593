/** Walks a JSON Schema by the meaning of its keywords: a property that is named "$ref" is not a reference. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { DEFAULT_DIALECT, type Dialect, dialectOf } from "./dialect-name.ts";

/** One schema inside another. */
export interface Subschema {
  /** JSON pointer from the root. */
  readonly pointer: string;
  readonly schema: JsonObject;
  /** The schema that `#` means here: the root, or the nearest one above with an `$id` of its own. */
  readonly resource: JsonObject;
  /** For a schema with an `$id` of its own, the resource around it. */
  readonly parent?: JsonObject;
}

/** A schema directly below another. `inPlace`: it judges the same value as the one above. */
interface Child {
  readonly pointer: string;
  readonly schema: JsonValue;
  readonly inPlace: boolean;
}

/** How a keyword holds schemas: one, a list, a map, or by its value one or a list. `inPlace` as in {@link Child}. */
interface Holder {
  readonly form: "one" | "list" | "map" | "one-or-list";
  readonly inPlace: boolean;
}

const HOLDERS: ReadonlyMap<string, Holder> = new Map([
  ...holders("one", false, [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
  ]),
  ...holders("one-or-list", false, ["items"]),
  ...holders("one", true, ["else", "if", "not", "then"]),
  ...holders("list", false, ["prefixItems"]),
  ...holders("list", true, ["allOf", "anyOf", "oneOf"]),
  ...holders("map", false, ["$defs", "definitions", "patternProperties", "properties"]),
  ...holders("map", true, ["dependencies", "dependentSchemas"]),
]);

function holders(form: Holder["form"], inPlace: boolean, keywords: readonly string[]): readonly (readonly [string, Holder])[] {
  return keywords.map((keyword) => [keyword, { form, inPlace }]);
}

/** Keywords whose value names another schema. */
export const REFERENCE_KEYWORDS = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** Every schema inside `root`, itself first, with those that only a reference reaches; each object once. */
export function subschemasOf(root: JsonObject): readonly Subschema[] {
  const dialect = dialectOf(root) ?? DEFAULT_DIALECT;
  const found: Subschema[] = [];
  const places = new Map<JsonObject, string>();
  const waiting: Subschema[] = [{ pointer: "", schema: root, resource: root }];
  // A pointer may lead to a place that no keyword names, such as "#/components/Point"; those come last.
  const targets: { readonly reference: string; readonly resource: JsonObject }[] = [];
  const add = (pointer: string, child: JsonValue | undefined, base: JsonObject): void => {
    if (!isJsonObject(child) || places.has(child)) return;
    const isResource = identifierOf(child, dialect) !== undefined;
    waiting.push({ pointer, schema: child, ...(isResource ? { resource: child, parent: base } : { resource: base }) });
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { pointer, schema, resource } = next;
    if (!places.has(schema)) {
      places.set(schema, pointer);
      found.push(next);
      for (const child of childrenOf(schema)) add(pointer + child.pointer, child.schema, resource);
      for (const keyword of REFERENCE_KEYWORDS) {
        const reference = schema[keyword];
        if (typeof reference === "string" && reference.startsWith("#/")) targets.push({ reference, resource });
      }
    }
    if (waiting.length > 0) continue;
    for (const target of targets.splice(0)) {
      const keys = referenceKeys(target.reference);
      add(
        (places.get(target.resource) ?? "") + keys.map(pointerPart).join(""),
        pointerTarget(target.resource, target.reference),
        target.resource,
      );
    }
  }
  return found;
}

/** The identifier by which a schema is a resource of its own: `$id`, in draft-04 `id`. A mere fragment is an anchor. */
export function identifierOf(schema: JsonObject, dialect: Dialect): string | undefined {
  // Up to draft-07 nothing beside a reference counts, an identifier neither.
  if (dialect.startsWith("draft") && typeof schema.$ref === "string") return undefined;
  const id = schema[dialect === "draft-04" ? "id" : "$id"];
  return typeof id === "string" && id !== "" && !id.startsWith("#") ? id : undefined;
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
  for (const key of referenceKeys(reference)) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** A key as part of a JSON pointer (RFC 6901). */
export function pointerPart(key: string | number): string {
  if (typeof key === "number" || !/[~/]/.test(key)) return `/${key}`;
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The keys of a JSON pointer. */
export function pointerKeys(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The keys of a reference of the form `#/a/b`. */
function referenceKeys(reference: string): readonly string[] {
  return reference.slice(1).split("/").slice(1).map(decodePart);
}

function decodePart(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain; // a bare "%" in a key; then the text stands for itself
  }
}

function childrenOf(schema: JsonObject): readonly Child[] {
  const children: Child[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const holder = HOLDERS.get(keyword);
    if (holder === undefined) continue;
    const { form, inPlace } = holder;
    const pointer = pointerPart(keyword);
    if (Array.isArray(value)) {
      if (form !== "list" && form !== "one-or-list") continue;
      for (const [index, item] of value.entries()) children.push({ pointer: `${pointer}/${index}`, schema: item, inPlace });
    } else if (form === "map") {
      if (!isJsonObject(value)) continue;
      for (const [key, item] of Object.entries(value)) children.push({ pointer: pointer + pointerPart(key), schema: item, inPlace });
    } else if (form !== "list") {
      children.push({ pointer, schema: value, inPlace });
    }
  }
  return children;
}
