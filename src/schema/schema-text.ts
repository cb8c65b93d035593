/** What a schema expects, in words for a person or a model. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { shortJson } from "./short-json.ts";

/** Most values of an `enum` that are written out. */
const SHOWN_VALUES = 20;

/** Most keys of an object that are written out. */
const SHOWN_KEYS = 8;

/** For example `an integer from 1 to 100`, `one of "name", "amount"`, `text of at most 10 characters`. */
export function expectedText(schema: unknown): string {
  if (schema === false) return "nothing here";
  if (!isPlainObject(schema)) return "any value";
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  if (schema.const !== undefined) return shortJson(schema.const);
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) return alternatives(branches);
  }
  const types = typesOf(schema);
  if (types.length === 0 && Array.isArray(schema.required)) return `an object with ${oneAfterOther(schema.required)}`;
  if (types.length === 0) return `a value${numberRange(schema)}${textRange(schema)}${formText(schema)}`;
  return types.map((type) => typeText(type, schema)).join(" or ");
}

/** The same for one of several alternatives: an object is told from the others by its keys, as in `an object with "id"`. */
export function alternativeText(schema: unknown): string {
  if (!isPlainObject(schema) || !isPlainlyObject(schema)) return expectedText(schema);
  return [expectedText(schema), keysText(schema)].filter((part) => part !== "").join(" ");
}

/** The values a schema allows by `enum` or `const`; undefined if it names none. */
export function allowedValues(schema: unknown): readonly JsonValue[] | undefined {
  if (!isPlainObject(schema)) return undefined;
  if (Array.isArray(schema.enum)) return schema.enum.slice(0, SHOWN_VALUES);
  return schema.const === undefined ? undefined : [schema.const];
}

function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

function oneOf(values: readonly JsonValue[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map(shortJson).join(", ");
  const more = values.length - SHOWN_VALUES;
  if (values.length === 1) return shown;
  return `one of ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

function alternatives(branches: readonly JsonValue[]): string {
  const texts = [...new Set(branches.slice(0, 6).map((branch) => alternativeText(branch)))];
  return texts.join(" or ");
}

function isPlainlyObject(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return (
    types.length === 1 && types[0] === "object" && ["enum", "const", "anyOf", "oneOf"].every((keyword) => schema[keyword] === undefined)
  );
}

/** Empty where the schema leaves every key open. */
function keysText({ required, properties, additionalProperties }: JsonObject): string {
  if (Array.isArray(required) && required.length > 0) return `with ${oneAfterOther(required)}`;
  if (additionalProperties !== false) return "";
  const known = isPlainObject(properties) ? Object.keys(properties) : [];
  return known.length === 0 ? "without keys" : `with nothing but ${oneAfterOther(known)}`;
}

/** Keys as `"a" and "b"`, at most 8 of them. */
export function oneAfterOther(keys: readonly JsonValue[]): string {
  const shown = keys.slice(0, SHOWN_KEYS).map(shortJson);
  if (keys.length > SHOWN_KEYS) shown.push(`${keys.length - SHOWN_KEYS} more`);
  return shown.join(" and ");
}

function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  const listed = Array.isArray(type) ? type.filter((item) => typeof item === "string") : typeof type === "string" ? [type] : [];
  return schema.nullable === true && listed.length > 0 ? [...listed, "null"] : listed;
}

function typeText(type: string, schema: JsonObject): string {
  switch (type) {
    case "string":
      return `a string${textRange(schema)}${formText(schema)}`;
    case "integer":
      return `an integer${numberRange(schema)}`;
    case "number":
      return `a number${numberRange(schema)}`;
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "array":
      return `an array${countRange(schema, "minItems", "maxItems", "item")}${schema.uniqueItems === true ? " without repetitions" : ""}`;
    default:
      return `an object${countRange(schema, "minProperties", "maxProperties", "key")}`;
  }
}

function numberRange(schema: JsonObject): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const parts: string[] = [];
  // Draft-04 writes the exclusive bound as a boolean beside the number.
  const low = typeof exclusiveMinimum === "number" ? exclusiveMinimum : exclusiveMinimum === true ? minimum : undefined;
  const high = typeof exclusiveMaximum === "number" ? exclusiveMaximum : exclusiveMaximum === true ? maximum : undefined;
  if (low === undefined && high === undefined && typeof minimum === "number" && typeof maximum === "number") {
    parts.push(`from ${minimum} to ${maximum}`);
  } else {
    if (low !== undefined) parts.push(`above ${low}`);
    else if (typeof minimum === "number") parts.push(`of at least ${minimum}`);
    if (high !== undefined) parts.push(`below ${high}`);
    else if (typeof maximum === "number") parts.push(`of at most ${maximum}`);
  }
  if (typeof multipleOf === "number") parts.push(`that is a multiple of ${multipleOf}`);
  return parts.length === 0 ? "" : ` ${parts.join(" and ")}`;
}

function textRange(schema: JsonObject): string {
  return countRange(schema, "minLength", "maxLength", "character");
}

function countRange(schema: JsonObject, minKey: string, maxKey: string, unit: string): string {
  const min = schema[minKey];
  const max = schema[maxKey];
  const isMin = typeof min === "number" && min > 0;
  if (isMin && typeof max === "number") return min === max ? ` of ${plural(min, unit)}` : ` of ${min} to ${plural(max, unit)}`;
  if (isMin) return ` of at least ${plural(min, unit)}`;
  return typeof max === "number" ? ` of at most ${plural(max, unit)}` : "";
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function formText(schema: JsonObject): string {
  if (typeof schema.format === "string") return ` in the form "${schema.format}"`;
  return typeof schema.pattern === "string" ? ` matching ${shortJson(schema.pattern).slice(1, -1)}` : "";
}
