/**
 * Where the references of one schema lead. Only what stands in the same schema is found, by pointer, by anchor or by the
 * identifier of one of its parts; nothing is ever fetched.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { DEFAULT_DIALECT, type Dialect, dialectOf } from "./dialect-name.ts";
import { identifierOf, pointerTarget, type REFERENCE_KEYWORDS, type Subschema, subschemasOf } from "./schema-walk.ts";

/** A keyword that names another schema. */
export type ReferenceKeyword = (typeof REFERENCE_KEYWORDS)[number];

/** A reference followed. `resource` is what `#` means at the target. */
export interface ReferenceTarget {
  readonly schema: JsonObject | boolean;
  readonly resource: JsonObject;
}

/** Follows references of one schema. */
export interface References {
  /** Every schema inside, the root first. */
  readonly subschemas: readonly Subschema[];
  /**
   * What a reference at `schema` means; undefined if it is not in this schema. `scope` are the resources entered on the
   * way here, outermost first: `$dynamicRef` and `$recursiveRef` depend on it (2020-12 core, 8.2.3.2; 2019-09 core, 8.2.4.2.1).
   */
  follow(schema: JsonObject, keyword: ReferenceKeyword, scope?: readonly JsonObject[]): ReferenceTarget | undefined;
  /** The resource that the subschema stands in. */
  resourceOf(schema: JsonObject): JsonObject;
  /** True if where the reference leads depends on the way to it: more than one resource has its dynamic anchor. */
  isDynamic(schema: JsonObject, keyword: ReferenceKeyword): boolean;
}

/** The base of a schema without an identifier of its own; stands for no place. */
const LOCAL_BASE = "schema://local/";

/** Indexes a schema; `subschemas` are all those inside. */
export function createReferences(root: JsonObject, subschemas: readonly Subschema[] = subschemasOf(root)): References {
  const dialect = dialectOf(root) ?? DEFAULT_DIALECT;
  const resources = new Map<JsonObject, JsonObject>();
  const bases = new Map<JsonObject, string>();
  const byAddress = new Map<string, JsonObject>([[LOCAL_BASE, root]]);
  const anchors = new Map<JsonObject, Map<string, JsonObject>>();
  for (const { schema, resource, parent } of subschemas) {
    resources.set(schema, resource);
    if (schema === resource && !bases.has(schema)) {
      const base = absolute(identifierOf(schema, dialect) ?? "", parent === undefined ? LOCAL_BASE : (bases.get(parent) ?? LOCAL_BASE));
      bases.set(schema, base);
      if (!byAddress.has(base)) byAddress.set(base, schema);
    }
    for (const name of anchorNames(schema, dialect)) {
      const known = anchors.get(resource) ?? new Map<string, JsonObject>();
      if (!known.has(name)) known.set(name, schema);
      anchors.set(resource, known);
    }
  }
  const resourceOf = (schema: JsonObject): JsonObject => resources.get(schema) ?? root;
  const within = (resource: JsonObject, fragment: string): JsonValue | undefined => {
    if (fragment === "") return resource;
    return fragment.startsWith("/") ? pointerTarget(resource, `#${fragment}`) : anchors.get(resource)?.get(decoded(fragment));
  };
  const follow: References["follow"] = (schema, keyword, scope = []) => {
    const reference = schema[keyword];
    if (typeof reference !== "string") return undefined;
    const [address = "", fragment = ""] = splitOnce(reference, "#");
    const own = resourceOf(schema);
    const resource = address === "" ? own : byAddress.get(absolute(address, bases.get(own) ?? LOCAL_BASE));
    if (resource === undefined) return undefined;
    const target = within(resource, fragment);
    if (typeof target === "boolean") return { schema: target, resource };
    if (!isJsonObject(target)) return undefined;
    const dynamic = keyword === "$ref" ? undefined : dynamicTarget({ keyword, fragment, target, scope }, anchors);
    const found = dynamic ?? target;
    return { schema: found, resource: resources.get(found) ?? resource };
  };
  const isDynamic: References["isDynamic"] = (schema, keyword) => {
    const target = keyword === "$ref" ? undefined : follow(schema, keyword)?.schema;
    if (!isJsonObject(target)) return false;
    const isSame = (other: JsonObject): boolean =>
      keyword === "$recursiveRef" ? other.$recursiveAnchor === true : other.$dynamicAnchor === target.$dynamicAnchor;
    const fragment = splitOnce(String(schema[keyword]), "#")[1];
    const isAnchor =
      keyword === "$recursiveRef" ? target.$recursiveAnchor === true : fragment !== undefined && target.$dynamicAnchor === fragment;
    return isAnchor && subschemas.filter(({ schema: other }) => isSame(other)).length > 1;
  };
  return { subschemas, follow, resourceOf, isDynamic };
}

/** Where a dynamic reference leads when another resource on the way here has the same anchor: to the outermost one. */
function dynamicTarget(
  {
    keyword,
    fragment,
    target,
    scope,
  }: {
    readonly keyword: ReferenceKeyword;
    readonly fragment: string;
    readonly target: JsonObject;
    readonly scope: readonly JsonObject[];
  },
  anchors: ReadonlyMap<JsonObject, ReadonlyMap<string, JsonObject>>,
): JsonObject | undefined {
  if (keyword === "$recursiveRef") {
    if (target.$recursiveAnchor !== true) return undefined;
    return scope.find((resource) => resource.$recursiveAnchor === true);
  }
  if (target.$dynamicAnchor !== fragment) return undefined;
  for (const resource of scope) {
    const found = anchors.get(resource)?.get(fragment);
    if (found?.$dynamicAnchor === fragment) return found;
  }
  return undefined;
}

function anchorNames(schema: JsonObject, dialect: Dialect): readonly string[] {
  const named = [schema.$anchor, schema.$dynamicAnchor].filter((name) => typeof name === "string");
  // Up to draft-07 an anchor is the fragment of an identifier.
  const id = schema[dialect === "draft-04" ? "id" : "$id"];
  const fragments =
    typeof id === "string"
      ? splitOnce(id, "#")
          .slice(1)
          .filter((fragment) => fragment !== "")
      : [];
  return [...named, ...fragments];
}

function absolute(address: string, base: string): string {
  const [plain = ""] = splitOnce(address, "#");
  try {
    return new URL(plain, base).href;
  } catch {
    return plain; // no address that can be resolved; then only the very same text means it
  }
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a bare "%"; then the text stands for itself
  }
}
