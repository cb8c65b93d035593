/** Writes a schema of 2020-12 as an older dialect has it, so that the same tests try all five. */
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import type { Dialect } from "../../src/schema/dialect-name.ts";
import { anySchema } from "./arbitrary-schemas.ts";

const ADDRESSES: { readonly [dialect in Dialect]: string } = {
  "draft-04": "http://json-schema.org/draft-04/schema#",
  "draft-06": "http://json-schema.org/draft-06/schema#",
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

const SINGLE: ReadonlySet<string> = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "not",
  "if",
  "then",
  "else",
]);
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "items"]);
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies", "definitions", "$defs"]);

/** Schemas of every dialect. */
export const anyDialectSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(anySchema, fc.constantFrom<Dialect[]>("draft-04", "draft-06", "draft-07", "2019-09", "2020-12"))
  .map(([schema, dialect]) => inDialect(schema, dialect));

/** The schema in the dialect; keywords that the dialect does not know stay, since there they say nothing. */
function inDialect(schema: JsonObject, dialect: Dialect): JsonObject {
  return { $schema: ADDRESSES[dialect], ...written(schema, dialect) };
}

function written(schema: JsonObject, dialect: Dialect): JsonObject {
  const below = (value: JsonValue): JsonValue => {
    if (isJsonObject(value)) return written(value, dialect);
    // Up to draft-04 a schema is an object.
    if (dialect === "draft-04" && typeof value === "boolean") return value ? {} : { not: {} };
    return value;
  };
  const parts = Object.entries(inWords(schema, dialect)).map(([keyword, value]): [string, JsonValue] => {
    if (LISTS.has(keyword) && Array.isArray(value)) return [keyword, value.map(below)];
    if (MAPS.has(keyword) && isJsonObject(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(item)]))];
    }
    if (keyword === "additionalProperties" && typeof value === "boolean") return [keyword, value];
    return [keyword, SINGLE.has(keyword) ? below(value) : value];
  });
  return Object.fromEntries(parts);
}

/** The keywords of one schema as the dialect spells them. */
function inWords(schema: JsonObject, dialect: Dialect): JsonObject {
  const { prefixItems, items, $defs, $ref, dependentRequired, dependentSchemas, ...rest } = schema;
  const isDraft = dialect.startsWith("draft");
  const spelled: Record<string, JsonValue> = { ...rest };
  const put = (keyword: string, value: JsonValue | undefined): void => {
    if (value !== undefined) spelled[keyword] = value;
  };
  put(isDraft ? "definitions" : "$defs", $defs);
  put("$ref", typeof $ref === "string" && isDraft ? $ref.replace("$defs", "definitions") : $ref);
  if (isDraft && (dependentRequired !== undefined || dependentSchemas !== undefined)) {
    spelled.dependencies = { ...asMap(dependentSchemas), ...withoutEmpty(asMap(dependentRequired), dialect) };
  } else {
    put("dependentRequired", dependentRequired);
    put("dependentSchemas", dependentSchemas);
  }
  if (dialect === "2020-12" || prefixItems === undefined) {
    put("prefixItems", prefixItems);
    put("items", items);
  } else {
    put("items", prefixItems);
    put("additionalItems", items);
  }
  if (dialect === "draft-04") {
    for (const [exclusive, bound] of [
      ["exclusiveMinimum", "minimum"],
      ["exclusiveMaximum", "maximum"],
    ] as const) {
      if (spelled[exclusive] === undefined) continue;
      spelled[bound] ??= spelled[exclusive];
      spelled[exclusive] = true;
    }
    // A list of what is required has something in it there.
    if (Array.isArray(spelled.required) && spelled.required.length === 0) Reflect.deleteProperty(spelled, "required");
  }
  return spelled;
}

function asMap(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function withoutEmpty(map: JsonObject, dialect: Dialect): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([, keys]) => dialect !== "draft-04" || (Array.isArray(keys) && keys.length > 0)));
}
