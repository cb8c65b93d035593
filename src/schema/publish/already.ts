/** Tells, in microseconds, that a schema needs no publishing: most schemas of most tools are plain. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isPortablePattern } from "../pattern.ts";
import { withNamedKeys, withTypeOfValues } from "./forms.ts";
import { isSafeKey } from "./key-names.ts";

/** Keywords that mean the same everywhere; the others are looked at by the full way. */
const PLAIN: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "format",
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

const TYPES: ReadonlySet<JsonValue> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

/** True only if publishing the schema gives the schema itself. False says nothing. */
export function isPublishedForm(schema: JsonObject): boolean {
  const keys = Object.keys(schema);
  return keys[0] === "type" && keys[1] === "properties" && schema.type === "object" && schema.enum === undefined && isPlain(schema, true);
}

function isPlain(schema: JsonValue, isTop = false): boolean {
  if (!isJsonObject(schema)) return false;
  const { type } = schema;
  if (type === "object" && schema.properties === undefined) return false;
  if (type === "array" && schema.items === undefined) return false;
  if (type === "object" && withNamedKeys(schema) !== schema) return false;
  if (withTypeOfValues(schema) !== schema) return false;
  return Object.entries(schema).every(([keyword, value]) => isPlainKeyword(keyword, value, isTop));
}

function isPlainKeyword(keyword: string, value: JsonValue, isTop: boolean): boolean {
  switch (keyword) {
    case "type":
      return TYPES.has(value);
    case "properties":
      return isJsonObject(value) && Object.entries(value).every(([key, item]) => isSafeKey(key, isTop) && isPlain(item));
    case "required":
      return Array.isArray(value) && value.every((key) => typeof key === "string" && isSafeKey(key, isTop));
    case "items":
      return isPlain(value);
    case "additionalProperties":
      return typeof value === "boolean" || isPlain(value);
    case "enum":
      return Array.isArray(value) && value.length > 0;
    case "pattern":
      return typeof value === "string" && isPortablePattern(value);
    default:
      return PLAIN.has(keyword);
  }
}
