/** Tells, in microseconds, that a schema needs no publishing: most schemas of most tools are plain. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isPortablePattern } from "../pattern.ts";
import { withNamedKeys } from "./forms.ts";
import { SAFE_KEY } from "./key-names.ts";

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
  return keys[0] === "type" && keys[1] === "properties" && schema.type === "object" && schema.enum === undefined && isPlain(schema);
}

function isPlain(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return false;
  const { type } = schema;
  if (type === "object" && schema.properties === undefined) return false;
  if (type === "array" && schema.items === undefined) return false;
  if (type === "object" && withNamedKeys(schema) !== schema) return false;
  return Object.entries(schema).every(([keyword, value]) => isPlainKeyword(keyword, value));
}

function isPlainKeyword(keyword: string, value: JsonValue): boolean {
  switch (keyword) {
    case "type":
      return TYPES.has(value);
    case "properties":
      return isJsonObject(value) && Object.entries(value).every(([key, item]) => SAFE_KEY.test(key) && isPlain(item));
    case "required":
      return Array.isArray(value) && value.every((key) => typeof key === "string" && SAFE_KEY.test(key));
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
