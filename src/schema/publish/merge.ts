/** One schema that says what two say together. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { annotationsOf, asObject, canonicalText, inOrder, isAnnotation, isOpen, mapAt, NOTHING, type PlainSchema } from "./forms.ts";

/** Keywords that are judged together with others beside them. */
const OBJECT_KEYWORDS = ["properties", "patternProperties", "additionalProperties"] as const;
const CONTAINS_KEYWORDS = ["contains", "minContains", "maxContains"] as const;
const CONDITION_KEYWORDS = ["if", "then", "else"] as const;

/** Both together: as one schema where that says exactly the same, else as `allOf`. Annotations of the first win. */
export function conjoin(first: JsonValue, second: JsonValue): PlainSchema | false {
  if (first === false || second === false) return false;
  const a = asObject(first);
  const b = asObject(second);
  const merged = mergeExactly(a, b);
  if (merged !== undefined) return merged;
  const { allOf: members, ...rest } = a;
  return { ...rest, allOf: [...(Array.isArray(members) ? members : []), b] };
}

/** All of the schemas together; `true` if they say nothing. */
export function conjoinAll(schemas: readonly (PlainSchema | boolean)[]): PlainSchema | boolean {
  let all: PlainSchema | boolean = true;
  for (const schema of schemas) {
    if (all === true) all = schema;
    else if (schema !== true) all = conjoin(all, schema);
  }
  return all;
}

/** One schema that says exactly what two say together; undefined where one cannot. */
export function mergeExactly(a: PlainSchema, b: PlainSchema): PlainSchema | undefined {
  if (isNothing(a) || isNothing(b)) return nothingFrom(a);
  if (isOpen(a) || isOpen(b)) return inOrder({ ...a, ...b, ...annotationsOf(a) });
  const objects = mergeObjectKeywords(a, b);
  if (objects === undefined || areBoth(a, b, CONTAINS_KEYWORDS) || areBoth(a, b, CONDITION_KEYWORDS)) return undefined;
  const merged: Record<string, JsonValue> = {};
  for (const keyword of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (isOneOf(keyword, OBJECT_KEYWORDS)) {
      if (objects[keyword] !== undefined) merged[keyword] = objects[keyword];
      continue;
    }
    const value = mergeKeyword(keyword, a[keyword], b[keyword]);
    if (value === undefined) return undefined;
    merged[keyword] = value;
  }
  return inOrder(merged);
}

/** Nothing fits, so what else must fit is left out: read again it would come after that, and be left out then. */
function nothingFrom({ allOf: _allOf, anyOf: _anyOf, ...rest }: PlainSchema): PlainSchema {
  return { ...rest, ...NOTHING };
}

function isNothing({ not }: PlainSchema): boolean {
  return not !== undefined && isOpen(not);
}

function isOneOf(keyword: string, keywords: readonly string[]): boolean {
  return keywords.includes(keyword);
}

function areBoth(a: PlainSchema, b: PlainSchema, keywords: readonly string[]): boolean {
  const has = (schema: PlainSchema): boolean => keywords.some((keyword) => schema[keyword] !== undefined);
  return has(a) && has(b);
}

/** The value of one keyword for both; undefined if none says the same. */
function mergeKeyword(keyword: string, a: JsonValue | undefined, b: JsonValue | undefined): JsonValue | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (isAnnotation(keyword)) return a;
  switch (keyword) {
    case "allOf":
      return [...asList(a), ...asList(b)];
    case "required":
      return [...new Set([...asList(a), ...asList(b)])];
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return Math.max(Number(a), Number(b));
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return Math.min(Number(a), Number(b));
    case "uniqueItems":
      return a === true || b === true;
    case "type":
      return mergeTypes(a, b);
    case "enum":
      return mergeEnums(asList(a), asList(b));
    case "items":
    case "propertyNames":
      return asObject(conjoin(a, b));
    case "dependentRequired":
      return mergeMaps(a, b, (one, other) => [...new Set([...asList(one), ...asList(other)])]);
    case "dependentSchemas":
      return mergeMaps(a, b, (one, other) => asObject(conjoin(one, other)));
    default:
      return canonicalText(a) === canonicalText(b) ? a : undefined;
  }
}

function asList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function mergeTypes(a: JsonValue, b: JsonValue): JsonValue | undefined {
  const other = asList(b);
  const types = asList(a).flatMap((type) => {
    if (other.includes(type)) return [type];
    if (type === "integer" && other.includes("number")) return ["integer"];
    return type === "number" && other.includes("integer") ? ["integer"] : [];
  });
  const [first] = types;
  return types.length > 1 ? [...new Set(types)] : first;
}

function mergeEnums(a: readonly JsonValue[], b: readonly JsonValue[]): JsonValue | undefined {
  const known = new Set(b.map(canonicalText));
  const both = a.filter((value) => known.has(canonicalText(value)));
  return both.length > 0 ? both : undefined;
}

function mergeMaps(a: JsonValue, b: JsonValue, merge: (one: JsonValue, other: JsonValue) => JsonValue): JsonObject {
  const one = isJsonObject(a) ? a : {};
  const other = isJsonObject(b) ? b : {};
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...keys].map((key): [string, JsonValue] => {
      const [x, y] = [own(one, key), own(other, key)];
      return [key, x !== undefined && y !== undefined ? merge(x, y) : (x ?? y ?? true)];
    }),
  );
}

/** `properties`, `patternProperties` and `additionalProperties` of both: what a key may hold depends on all three. */
function mergeObjectKeywords(a: PlainSchema, b: PlainSchema): JsonObject | undefined {
  if (!areBoth(a, b, OBJECT_KEYWORDS)) {
    const holder = OBJECT_KEYWORDS.some((keyword) => a[keyword] !== undefined) ? a : b;
    return Object.fromEntries(OBJECT_KEYWORDS.flatMap((keyword) => (holder[keyword] === undefined ? [] : [[keyword, holder[keyword]]])));
  }
  if (a.patternProperties !== undefined || b.patternProperties !== undefined) return mergeBesidePatterns(a, b);
  const rest = [a.additionalProperties ?? true, b.additionalProperties ?? true] as const;
  const additional = conjoin(...rest);
  const [one, other] = [mapAt(a, "properties"), mapAt(b, "properties")];
  const properties: Record<string, JsonValue> = {};
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const value = conjoin(own(one, key) ?? rest[0], own(other, key) ?? rest[1]);
    if (value !== false) properties[key] = value;
    // A key that is not allowed is one of those that are not named, if those are not allowed either.
    else if (additional !== false) return undefined;
  }
  const isAdditional = a.additionalProperties !== undefined || b.additionalProperties !== undefined;
  const hasProperties = a.properties !== undefined || b.properties !== undefined;
  return { ...(hasProperties ? { properties } : {}), ...(isAdditional ? { additionalProperties: additional } : {}) };
}

/** Patterns of keys on one side leave only the case where no side says anything about keys that are not named. */
function mergeBesidePatterns(a: PlainSchema, b: PlainSchema): JsonObject | undefined {
  if (!isOpen(a.additionalProperties) || !isOpen(b.additionalProperties)) return undefined;
  if (a.patternProperties !== undefined && b.patternProperties !== undefined) return undefined;
  const properties = mergeMaps(mapAt(a, "properties"), mapAt(b, "properties"), (one, other) => asObject(conjoin(one, other)));
  return { properties, patternProperties: a.patternProperties ?? b.patternProperties ?? {} };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
