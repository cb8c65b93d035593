/** Small things that the steps of publishing share: equality, lists without repetitions, sentences in descriptions. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** A schema in the common form: 2020-12 without references, identifiers, tuples and booleans inside. */
export type PlainSchema = JsonObject;

/** A schema that takes nothing, as an object. */
export const NOTHING: PlainSchema = Object.freeze({ not: {} });

/** Keywords that say something to a reader and nothing about a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
]);

/** True for a keyword that says nothing about a value. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith("x-");
}

/** The annotations of a schema. */
export function annotationsOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isAnnotation(keyword)));
}

/** The rest of a schema. */
export function withoutAnnotations(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword)));
}

/** True for a schema that every value fits. */
export function isOpen(schema: JsonValue | undefined): boolean {
  if (schema === undefined || schema === true) return true;
  return isJsonObject(schema) && Object.keys(schema).every(isAnnotation);
}

/** A schema as an object. */
export function asObject(schema: JsonValue): PlainSchema {
  if (isJsonObject(schema)) return schema;
  return schema === false ? NOTHING : {};
}

/** A text that is the same for equal values whatever the order of their keys. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`);
  return `{${members.join()}}`;
}

/** The first of each equal value. */
export function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.toReversed().map((value) => [canonicalText(value), value])).values()].toReversed();
}

/** The list at a keyword, or an empty one. */
export function listAt(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** The texts of the list at a keyword. */
export function textsAt(schema: JsonObject, keyword: string): readonly string[] {
  return listAt(schema, keyword).filter((item) => typeof item === "string");
}

/** The map at a keyword, or an empty one. */
export function mapAt(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword];
  return isJsonObject(value) ? value : {};
}

/** The schema with a sentence more in its description; the same schema if it has the sentence already. */
export function withSentence(schema: PlainSchema, sentence: string): PlainSchema {
  const { description } = schema;
  if (typeof description !== "string" || description.trim() === "") return { ...schema, description: sentence };
  if (description.includes(sentence)) return schema;
  const end = /[.!?:)\n]\s*$/u.test(description) ? "" : ".";
  return { ...schema, description: `${description.trimEnd()}${end} ${sentence}` };
}

/** With what could not be merged at the end, where it stands when the schema is published again. */
export function inOrder({ anyOf, allOf, ...rest }: PlainSchema): PlainSchema {
  return { ...rest, ...(anyOf === undefined ? {} : { anyOf }), ...(allOf === undefined ? {} : { allOf }) };
}

/** The schema of a key that clients get under another name, with the own one: what the name has lost may be what it means. */
export function withOriginalName(schema: PlainSchema, key: string, name: string): PlainSchema {
  return key === name ? schema : inOrder(withSentence(schema, `This is ${JSON.stringify(key)}.`));
}

/**
 * The schema with each required key among its `properties`, which Gemini's API asks for: one that is not fails the whole request
 * (probelabs/probe issue 569, Kilo-Org/kilocode pull request 11955). It says there what was said of it already.
 */
export function withNamedKeys(schema: PlainSchema): PlainSchema {
  const properties = mapAt(schema, "properties");
  const unnamed = textsAt(schema, "required").filter((key) => !Object.hasOwn(properties, key));
  const { additionalProperties: others = true, patternProperties } = schema;
  // Nothing fits where the key is refused; and which rule a pattern leaves for it is not looked into.
  if (unnamed.length === 0 || others === false || (patternProperties !== undefined && !isOpen(others))) return schema;
  return { ...schema, properties: { ...properties, ...Object.fromEntries(unnamed.map((key) => [key, asObject(others)])) } };
}

/**
 * The schema with the type that its fixed values have, if it is one: Gemini's API takes an `enum` with the type "string" only, and no
 * parameter without a type (decolua/9router issue 359, google-gemini/gemini-cli issue 2282). It says nothing new.
 */
export function withTypeOfValues(schema: PlainSchema): PlainSchema {
  if (schema.type !== undefined) return schema;
  const [type, ...others] = new Set((schema.const === undefined ? listAt(schema, "enum") : [schema.const]).map(typeOf));
  return type === undefined || others.length > 0 ? schema : { type, ...schema };
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // Whole numbers too, since an integer is a number: so a list of both has one type.
  return typeof value;
}
