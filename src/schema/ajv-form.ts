/** A user's schema in the form that Ajv compiles to what the user meant. */
import type { JsonObject, JsonValue } from "../core/json.ts";
import { DEFAULT_DIALECT, type Dialect, dialectOf } from "./dialect-name.ts";
import { createReferences, type ReferenceKeyword, type References } from "./references.ts";
import { type Subschema, subschemasOf } from "./schema-walk.ts";

/** A copy without what Ajv would stumble over: names, which it would look up, and references by them. */
export function toAjvForm(schema: JsonObject): JsonObject {
  const copy = withoutOldForms(schema) ?? structuredClone(schema);
  const dialect = dialectOf(schema) ?? DEFAULT_DIALECT;
  const references = createReferences(copy);
  const keywords = referenceKeywords(dialect);
  const isDynamic = references.subschemas.some(({ schema: part }) => keywords.some((keyword) => references.isDynamic(part, keyword)));
  // Ajv must see the names of resources where a reference depends on them; everywhere else a pointer is surer.
  const changes = isDynamic
    ? []
    : references.subschemas.map(({ schema: part }) => ({ part, targets: pointersFor(part, keywords, references) }));
  for (const { part, targets } of changes) {
    for (const keyword of [...keywords, "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]) {
      if (typeof part[keyword] === "string" || typeof part[keyword] === "boolean") Reflect.deleteProperty(part, keyword);
    }
    if (typeof part.id === "string") Reflect.deleteProperty(part, "id");
    const [first, ...more] = targets;
    if (typeof first?.$ref === "string") {
      Object.assign(part, first);
      // Of all that means nothing beside a reference up to draft-07, Ajv 8.20 judges this one still.
      if (dialect.startsWith("draft")) Reflect.deleteProperty(part, "type");
    }
    const others = typeof first?.$ref === "string" ? more : targets;
    if (others.length > 0) Object.assign(part, { allOf: [...(Array.isArray(part.allOf) ? part.allOf : []), ...others] });
  }
  for (const { schema: part } of references.subschemas) cleanPart(part, dialect);
  if (looksAtUnevaluated(copy)) for (const { schema: part } of references.subschemas) countPatternsFirst(part);
  return copy;
}

/** True if what other keywords looked at matters anywhere in the schema. */
export function looksAtUnevaluated(schema: JsonObject): boolean {
  return subschemasOf(schema).some(({ schema: part }) => part.unevaluatedProperties !== undefined || part.unevaluatedItems !== undefined);
}

const BEFORE_PATTERNS = ["$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "dependencies"] as const;
const CONDITION: ReadonlySet<string> = new Set(["if", "then", "else"]);

/**
 * Of keys that match a pattern Ajv 8.20 makes a note in an object that is not there if it was to come from a condition
 * that did not hold; the check throws then. So a pattern that no key matches comes first, which makes the object, and
 * conditions after it.
 */
function countPatternsFirst(part: JsonObject): void {
  if (part.patternProperties === undefined) return;
  const condition = Object.entries(part).filter(([keyword]) => CONDITION.has(keyword));
  const others = BEFORE_PATTERNS.flatMap((keyword) => {
    const value = part[keyword];
    return value === undefined ? [] : keyword === "allOf" && Array.isArray(value) ? value : [{ [keyword]: value }];
  });
  if (condition.length + others.length === 0) return;
  for (const keyword of [...BEFORE_PATTERNS, ...CONDITION]) Reflect.deleteProperty(part, keyword);
  Object.assign(part, { allOf: [{ patternProperties: { "[^\\s\\S]": true } }, ...others, Object.fromEntries(condition)] });
}

function referenceKeywords(dialect: Dialect): readonly ReferenceKeyword[] {
  switch (dialect) {
    case "2019-09":
      return ["$ref", "$recursiveRef"];
    case "2020-12":
      return ["$ref", "$dynamicRef"];
    default:
      return ["$ref"];
  }
}

/** The references of one schema as pointers from the root, or as the schema itself where that is a boolean. */
function pointersFor(part: JsonObject, keywords: readonly ReferenceKeyword[], references: References): readonly JsonObject[] {
  return keywords.flatMap((keyword): readonly JsonObject[] => {
    const target = references.follow(part, keyword)?.schema;
    if (target === undefined) return [];
    if (target === true) return [{}];
    if (target === false) return [{ not: {} }];
    const pointer = references.subschemas.find(({ schema }) => schema === target)?.pointer;
    return pointer === undefined ? [] : [{ $ref: `#${pointer.split("/").map(encodeURIComponent).join("/")}` }];
  });
}

function cleanPart(part: JsonObject, dialect: Dialect): void {
  Reflect.deleteProperty(part, "$schema");
  // Ajv refuses "id" in later dialects, where it means nothing.
  if (dialect !== "draft-04" && typeof part.id === "string") Reflect.deleteProperty(part, "id");
  // OpenAPI's "nullable" counts beside "type" only; Ajv refuses it elsewhere.
  if (part.nullable !== true || part.type === undefined) Reflect.deleteProperty(part, "nullable");
  // Ajv refuses a list without values; nothing fits it.
  if (Array.isArray(part.enum) && part.enum.length === 0) {
    Reflect.deleteProperty(part, "enum");
    Object.assign(part, { allOf: [...(Array.isArray(part.allOf) ? part.allOf : []), false] });
  }
  if (needsItem(part, dialect)) Object.assign(part, { minItems: Math.max(1, typeof part.minItems === "number" ? part.minItems : 0) });
}

/**
 * True for `contains` with its plain count of at least one. In a list of lists Ajv 8.20 remembers from one list to the
 * next that something was found, so that an empty list after one that fits would fit too.
 */
function needsItem({ contains, minContains, maxContains }: JsonObject, dialect: Dialect): boolean {
  if (contains === undefined || dialect === "draft-04") return false;
  return dialect.startsWith("draft") || ((minContains ?? 1) === 1 && maxContains === undefined);
}

/**
 * A copy of a schema without `$schema` in which forms of older dialects are written as 2020-12 has them: `items` as a
 * list, `exclusiveMinimum` as a boolean. Undefined if there are none, or if the schema says which dialect it is of.
 */
function withoutOldForms(schema: JsonObject): JsonObject | undefined {
  if (schema.$schema !== undefined || !subschemasOf(schema).some(({ schema: part }) => hasOldForm(part))) return undefined;
  const copy = structuredClone(schema);
  for (const { schema: part } of subschemasOf(copy)) {
    if (Array.isArray(part.items)) {
      const { items, additionalItems } = part;
      Object.assign(part, { prefixItems: items });
      Reflect.deleteProperty(part, "items");
      Reflect.deleteProperty(part, "additionalItems");
      if (additionalItems !== undefined) Object.assign(part, { items: additionalItems });
    }
    for (const [exclusive, bound] of EXCLUSIVE_BOUNDS) {
      if (typeof part[exclusive] !== "boolean") continue;
      const isExclusive = part[exclusive] === true && typeof part[bound] === "number";
      if (isExclusive) Object.assign(part, { [exclusive]: part[bound] });
      else Reflect.deleteProperty(part, exclusive);
      if (isExclusive) Reflect.deleteProperty(part, bound);
    }
  }
  return copy;
}

/**
 * The schema as the meta-schema is to judge it: without forms of older dialects where it names none, and without what is
 * only advised against, repeated or no values in an `enum`. It may be the schema itself.
 */
export function toJudgedForm(schema: JsonObject, subschemas: readonly Subschema[]): JsonObject {
  const hasOldForms = schema.$schema === undefined && subschemas.some(({ schema: part }) => hasOldForm(part));
  if (!hasOldForms && !subschemas.some(({ schema: part }) => isOddEnum(part.enum))) return schema;
  const form = withoutOldForms(schema) ?? structuredClone(schema);
  for (const { schema: part } of subschemasOf(form)) if (isOddEnum(part.enum)) Object.assign(part, { enum: [null] });
  return form;
}

/** Longest `enum` that is judged: up to draft-07 its values must differ, and Ajv compares each with each. */
const JUDGED_VALUES = 50;

/** True for a list of values that the meta-schema would complain of, or take long for; what the values are does not matter to it. */
function isOddEnum(values: JsonValue | undefined): boolean {
  if (!Array.isArray(values)) return false;
  if (values.length === 0 || values.length > JUDGED_VALUES) return true;
  return new Set(values.map((value) => JSON.stringify(value))).size < values.length;
}

const EXCLUSIVE_BOUNDS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

function hasOldForm(part: JsonObject): boolean {
  return Array.isArray(part.items) || EXCLUSIVE_BOUNDS.some(([exclusive]) => typeof part[exclusive] === "boolean");
}
