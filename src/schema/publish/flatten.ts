/**
 * The root without `anyOf`, `oneOf`, `allOf`, `not` and their like, which model services refuse there (Anthropic: "does
 * not support oneOf, allOf, or anyOf at the top level"; OpenAI: the same with `enum` and `not`). What the alternatives
 * have is put together; what they ask for is a sentence in the description, and the full schema still judges every call.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { unionOf } from "./alternatives.ts";
import { asObject, isOpen, listAt, mapAt, type PlainSchema, textsAt, withSentence } from "./forms.ts";
import { conjoin, mergeExactly } from "./merge.ts";
import type { NoteBook } from "./notes.ts";
import { ruleText } from "./rule-text.ts";

/** Keywords that must not stand at the root. `then` and `else` go with `if`. */
const REFUSED_AT_ROOT = ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependentRequired", "enum", "const"] as const;

/** Keywords that some clients refuse anywhere: zod's reader of JSON Schema throws at them, and Gemini's knows none of them. */
const REFUSED_BELOW = ["not", "if", "dependentSchemas", "dependentRequired"] as const;

/** The flat root. */
export function flattenRoot(schema: PlainSchema, book: NoteBook): PlainSchema {
  const rules = rulesOf(schema, REFUSED_AT_ROOT, "", book);
  return rules.reduce(withSentence, flatten(schema));
}

/** A schema below the root without conditions; alternatives stay, since clients take them there. */
export function withoutConditions(schema: PlainSchema, pointer: string, book: NoteBook): PlainSchema {
  // Nothing fits this one, which clients can be told by no other means.
  const isNothing = schema.not !== undefined && isOpen(schema.not);
  const keywords = REFUSED_BELOW.filter((keyword) => keyword !== "not" || !isNothing);
  const rules = rulesOf(schema, keywords, pointer, book);
  if (rules.length === 0) return schema;
  const { if: _if, then: _then, else: _else, dependentSchemas: _schemas, dependentRequired: _required, ...rest } = schema;
  const { not, ...base } = rest;
  const kept: PlainSchema = isNothing && not !== undefined ? { ...base, not } : base;
  // Only of an object is it known what the branches of a condition add.
  return rules.reduce(withSentence, schema.type === "object" ? withBranches(kept, schema) : kept);
}

function rulesOf(schema: PlainSchema, keywords: readonly string[], pointer: string, book: NoteBook): readonly string[] {
  return keywords
    .filter((keyword) => schema[keyword] !== undefined)
    .map((keyword) => {
      const rule = ruleText(keyword, schema);
      book.add({ kind: "flattened", pointer, keyword, rule });
      return rule;
    });
}

/** One object schema without keywords that combine; it takes at least what the given one takes. */
function flatten(schema: PlainSchema): PlainSchema {
  let flat: PlainSchema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !COMBINING.has(keyword)));
  for (const member of listAt(schema, "allOf")) flat = both(flat, flatten(asObject(member)));
  for (const branches of [listAt(schema, "anyOf"), listAt(schema, "oneOf")]) {
    if (branches.length > 0) flat = both(flat, unionOf(branches.map(asObject).map(flatten)));
  }
  return withBranches(flat, schema);
}

const COMBINING: ReadonlySet<string> = new Set([...REFUSED_AT_ROOT, "then", "else"]);

/** The flat schema with what the conditions of another one may add. */
function withBranches(base: PlainSchema, schema: PlainSchema): PlainSchema {
  let flat = base;
  if (schema.if !== undefined) {
    const fulfilled = both(flatten(asObject(schema.if)), flatten(asObject(schema.then ?? true)));
    flat = both(flat, unionOf([fulfilled, flatten(asObject(schema.else ?? true))]));
  }
  for (const rule of Object.values(mapAt(schema, "dependentSchemas"))) flat = both(flat, unionOf([flatten(asObject(rule)), {}]));
  return flat;
}

/** What two flat schemas say together, or where no flat one says it, something that takes more. */
function both(base: PlainSchema, given: PlainSchema): PlainSchema {
  const more = withoutHints(given, base);
  const exact = mergeExactly(base, more);
  if (exact !== undefined) return exact;
  const properties: Record<string, JsonValue> = { ...mapAt(base, "properties") };
  for (const [key, value] of Object.entries(mapAt(more, "properties"))) {
    const known = knownAt(base, key);
    const together = known === false ? false : conjoin(known, value);
    if (together !== false) properties[key] = together;
  }
  const required = [...new Set([...textsAt(base, "required"), ...textsAt(more, "required")])];
  const isClosed = base.additionalProperties === false || more.additionalProperties === false;
  const hasPatterns = base.patternProperties !== undefined || more.patternProperties !== undefined;
  return {
    ...withoutObjectKeywords(base),
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(isClosed && !hasPatterns ? { additionalProperties: false } : {}),
  };
}

/** Without properties for which only some alternative has a rule, where the base has one that always holds. */
function withoutHints(schema: PlainSchema, base: PlainSchema): PlainSchema {
  const known = mapAt(base, "properties");
  const isHint = (value: JsonValue): boolean => isJsonObject(value) && listAt(value, "anyOf").some(isOpen);
  const kept = Object.entries(mapAt(schema, "properties")).filter(([key, value]) => !Object.hasOwn(known, key) || !isHint(value));
  return schema.properties === undefined ? schema : { ...schema, properties: Object.fromEntries(kept) };
}

/** What a schema says about a key; `false` if it refuses it. */
function knownAt(schema: PlainSchema, key: string): JsonValue {
  const properties = mapAt(schema, "properties");
  if (Object.hasOwn(properties, key)) return properties[key] ?? true;
  // A pattern may mean this key, and then the rule for other keys does not.
  return schema.patternProperties === undefined ? (schema.additionalProperties ?? true) : true;
}

const OBJECT_KEYWORDS: ReadonlySet<string> = new Set([
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
]);

function withoutObjectKeywords(schema: PlainSchema): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OBJECT_KEYWORDS.has(keyword)));
}
