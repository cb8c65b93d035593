import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** Kinds of values. Whole numbers and others are told apart, since a schema may take the first only. */
export type Kind = "null" | "boolean" | "whole" | "fraction" | "string" | "array" | "object";

const ALL: ReadonlySet<Kind> = new Set(["null", "boolean", "whole", "fraction", "string", "array", "object"]);

const KINDS_OF_TYPE: Readonly<Record<string, readonly Kind[]>> = {
  null: ["null"],
  boolean: ["boolean"],
  integer: ["whole"],
  number: ["whole", "fraction"],
  string: ["string"],
  array: ["array"],
  object: ["object"],
};

/** Kind of a value. */
export function kindOf(value: JsonValue): Kind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return Number.isInteger(value) ? "whole" : "fraction";
    default:
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
  }
}

/**
 * The kinds that all of these schemas take, by `type`, `enum`, `const`, alternatives and references. What else a schema
 * says may take more away; a kind that is missing here is certainly not allowed.
 */
export function admittedKinds(
  schemas: readonly JsonValue[],
  index: SchemaIndex,
  open: ReadonlySet<JsonObject> = new Set(),
): ReadonlySet<Kind> {
  let kinds: ReadonlySet<Kind> = ALL;
  for (const schema of schemas) {
    if (schema === false) return new Set();
    // A schema that leads back to itself adds nothing to what it says already.
    if (!isJsonObject(schema) || open.has(schema)) continue;
    const known = index.kinds.get(schema) ?? kindsOfSchema(schema, index, new Set([...open, schema]));
    index.kinds.set(schema, known);
    kinds = both(kinds, known);
  }
  return kinds;
}

function kindsOfSchema(schema: JsonObject, index: SchemaIndex, open: ReadonlySet<JsonObject>): ReadonlySet<Kind> {
  const own = index.counting(schema);
  let kinds = both(ownKinds(own), admittedKinds([...index.targetsOf(schema), ...listOf(own.allOf)], index, open));
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = listOf(own[keyword]);
    if (branches.length === 0) continue;
    kinds = both(kinds, new Set(branches.flatMap((branch) => [...admittedKinds([branch], index, open)])));
  }
  return kinds;
}

function ownKinds(schema: JsonObject): ReadonlySet<Kind> {
  const types = typeof schema.type === "string" ? [schema.type] : listOf(schema.type);
  let kinds: ReadonlySet<Kind> = ALL;
  if (types.length > 0) {
    kinds = new Set(
      types.flatMap((type) => (typeof type === "string" && Object.hasOwn(KINDS_OF_TYPE, type) ? (KINDS_OF_TYPE[type] ?? []) : [])),
    );
    // OpenAPI's way to allow null.
    if (schema.nullable === true) kinds = new Set([...kinds, "null"]);
  }
  if (Array.isArray(schema.enum)) kinds = both(kinds, new Set(listOf(schema.enum).map(kindOf)));
  return schema.const === undefined ? kinds : both(kinds, new Set([kindOf(schema.const)]));
}

/** The items of what should be an array, or none. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function both(a: ReadonlySet<Kind>, b: ReadonlySet<Kind>): ReadonlySet<Kind> {
  return new Set([...a].filter((kind) => b.has(kind)));
}
