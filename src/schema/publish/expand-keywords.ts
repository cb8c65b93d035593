/** The keywords of one schema in the common form. Schemas below are written out by the caller's `run.expand`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { REFERENCE_KEYWORDS } from "../schema-walk.ts";
import { expandAlternatives, expandConditions, expandContains, expandNot } from "./expand-logic.ts";
import { type ExpandPlace, type ExpandRun, type KeywordParts, placeBelow } from "./expand-run.ts";
import { asObject, isOpen, type PlainSchema, withSentence } from "./forms.ts";
import { isInDialect, isRemoved } from "./keywords.ts";
import { conjoinAll } from "./merge.ts";
import { withPlainItems } from "./tuple.ts";

/** Keywords after which nothing is left to say about what was not looked at yet: others judge the same value beside them. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "if", "dependentSchemas"] as const;

/** One schema in the common form, together with what its references led to. */
export function expandKeywords(
  schema: JsonObject,
  targets: readonly (PlainSchema | boolean)[],
  place: ExpandPlace,
  run: ExpandRun,
): PlainSchema | boolean {
  let own: PlainSchema = {};
  const beside: (PlainSchema | boolean)[] = [];
  const sentences: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (!isInDialect(keyword, run.dialect)) {
      run.book.add({ kind: "removed", pointer: place.pointer, keyword });
      continue;
    }
    const parts = expandKeyword(keyword, value, { schema, place, run });
    own = { ...own, ...parts.own };
    beside.push(...(parts.beside ?? []));
    if (parts.sentence !== undefined) sentences.push(parts.sentence);
  }
  own = sentences.reduce(withSentence, withItems(own, { schema, place, run }));
  const all = conjoinAll([own, ...beside, ...targets]);
  return isJsonObject(all) ? withUnevaluated(all, { schema, place, run }) : all;
}

const REFERENCES: ReadonlySet<string> = new Set(REFERENCE_KEYWORDS);

interface Context {
  readonly schema: JsonObject;
  readonly place: ExpandPlace;
  readonly run: ExpandRun;
}

function expandKeyword(keyword: string, value: JsonValue, { schema, place, run }: Context): KeywordParts {
  const below = (...parts: readonly (string | number)[]): ExpandPlace => placeBelow(place, keyword, ...parts);
  switch (keyword) {
    case "type":
      return { own: typeKeyword(value, schema) };
    case "enum":
      return Array.isArray(value) && value.length === 0 ? { beside: [false] } : { own: { enum: value } };
    case "minimum":
    case "maximum":
      return { own: boundKeyword(keyword, value, schema) };
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return { own: exclusiveKeyword(keyword, value, schema, { place, run }) };
    case "properties":
      return propertiesKeyword(value, below, { place, run });
    case "patternProperties":
      return { own: { [keyword]: mapOf(value, (key, item) => asObject(run.expand(item, below(key)))) } };
    case "additionalProperties":
      return { own: { [keyword]: run.expand(value, below()) } };
    case "propertyNames":
      return namesKeyword(run.expand(value, below()));
    case "contains":
      return { own: expandContains(schema, below(), run) };
    case "not":
      return { own: expandNot(value, below(), run) };
    case "if":
      return expandConditions(schema, place, run);
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) ? expandAlternatives(keyword, value, below, run) : {};
    case "allOf":
      return { beside: Array.isArray(value) ? value.map((item, index) => run.expand(item, below(index))) : [] };
    case "dependencies":
    case "dependentRequired":
    case "dependentSchemas":
      return dependentKeyword(keyword, value, below, { place, run });
    case "items":
    case "prefixItems":
      return { own: { items: true } }; // its place among the keywords; what it holds depends on others
    case "nullable":
    case "additionalItems":
    case "unevaluatedItems":
    case "unevaluatedProperties":
    case "then":
    case "else":
    case "minContains":
    case "maxContains":
      return {}; // told by the keyword they belong to
    default:
      return { own: otherKeyword(keyword, value, { schema, place, run }) };
  }
}

function otherKeyword(keyword: string, value: JsonValue, { place, run }: Context): JsonObject {
  const isTarget = place.pointer === "" && isTargetHolder(run.root, keyword);
  if (!isTarget && !isRemoved(keyword, value)) return { [keyword]: value };
  // Where a reference led is told by a note of its own.
  if (!REFERENCES.has(keyword)) run.book.add({ kind: "removed", pointer: place.pointer, keyword });
  return {};
}

/** True for a keyword of the root that only holds what references lead to, such as `components`. */
function isTargetHolder(root: JsonObject, keyword: string): boolean {
  const value = root[keyword];
  return isJsonObject(value) && JSON.stringify(root).includes(`"#/${keyword}/`);
}

function typeKeyword(value: JsonValue, { nullable }: JsonObject): JsonObject {
  const listed = Array.isArray(value) ? value : [value];
  const named = nullable === true && !listed.includes("null") ? [...listed, "null"] : listed;
  const types = named.filter((type, index) => named.indexOf(type) === index && !(type === "integer" && named.includes("number")));
  const [only] = types;
  return { type: types.length === 1 && only !== undefined ? only : types };
}

/** Up to draft-04 `exclusiveMinimum: true` makes `minimum` exclusive. */
function boundKeyword(keyword: "minimum" | "maximum", value: JsonValue, schema: JsonObject): JsonObject {
  return schema[keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"] === true ? {} : { [keyword]: value };
}

function exclusiveKeyword(
  keyword: "exclusiveMinimum" | "exclusiveMaximum",
  value: JsonValue,
  schema: JsonObject,
  { place, run }: Omit<Context, "schema">,
): JsonObject {
  if (typeof value !== "boolean") return { [keyword]: value };
  run.book.add({ kind: "modernized", pointer: place.pointer, keyword });
  const bound = schema[keyword === "exclusiveMinimum" ? "minimum" : "maximum"];
  return value && bound !== undefined ? { [keyword]: bound } : {};
}

function propertiesKeyword(
  value: JsonValue,
  below: (...parts: readonly string[]) => ExpandPlace,
  { place, run }: Omit<Context, "schema">,
): KeywordParts {
  const forbidden: string[] = [];
  const properties = mapOf(value, (key, item) => {
    const expanded = run.expand(item, below(key));
    if (expanded !== false) return asObject(expanded);
    forbidden.push(key);
    return undefined;
  });
  if (forbidden.length === 0) return { own: { properties } };
  run.book.add({ kind: "loosened", pointer: place.pointer, keyword: "properties" });
  return { own: { properties }, sentence: `Not allowed: ${forbidden.map((key) => JSON.stringify(key)).join(", ")}.` };
}

function namesKeyword(names: PlainSchema | boolean): KeywordParts {
  // Beside, since the schema may have a count of its own.
  if (names === false) return { beside: [{ maxProperties: 0 }] };
  return isOpen(names) ? {} : { own: { propertyNames: names } };
}

function dependentKeyword(
  keyword: string,
  value: JsonValue,
  below: (...parts: readonly string[]) => ExpandPlace,
  { place, run }: Omit<Context, "schema">,
): KeywordParts {
  const required: Record<string, JsonValue> = {};
  const schemas: Record<string, JsonValue> = {};
  for (const [key, rule] of Object.entries(isJsonObject(value) ? value : {})) {
    if (Array.isArray(rule)) required[key] = rule;
    else if (typeof rule === "string") required[key] = [rule];
    else {
      const expanded = run.expand(rule, below(key));
      if (!isOpen(expanded)) schemas[key] = asObject(expanded);
    }
  }
  if (keyword === "dependencies") run.book.add({ kind: "modernized", pointer: place.pointer, keyword });
  const parts = { ...filled("dependentRequired", required), ...filled("dependentSchemas", schemas) };
  // The older keyword may stand next to the newer ones.
  return keyword === "dependencies" ? { beside: [parts] } : { own: parts };
}

function filled(keyword: string, map: JsonObject): JsonObject {
  return Object.keys(map).length > 0 ? { [keyword]: map } : {};
}

function mapOf(value: JsonValue, change: (key: string, item: JsonValue) => JsonValue | undefined): JsonObject {
  const entries = Object.entries(isJsonObject(value) ? value : {}).flatMap(([key, item]): [string, JsonValue][] => {
    const changed = change(key, item);
    return changed === undefined ? [] : [[key, changed]];
  });
  return Object.fromEntries(entries);
}

/** The schema with the `items` that the keywords of its dialect come to. */
function withItems(given: PlainSchema, context: Context): PlainSchema {
  const { schema, place, run } = context;
  const { items, prefixItems, additionalItems } = schema;
  if (items === undefined && prefixItems === undefined && schema.unevaluatedItems === undefined) return given;
  // Only up to 2019-09 is a list allowed here, but it means the same wherever somebody writes it.
  const isList = Array.isArray(items);
  const keyword = isList ? "items" : "prefixItems";
  const listed = isList ? items : isInDialect("prefixItems", run.dialect) && Array.isArray(prefixItems) ? prefixItems : [];
  const after = isList ? additionalItems : items;
  const prefix = listed.map((item, index) => run.expand(item, placeBelow(place, keyword, index)));
  const rest = after === undefined ? unevaluatedItems(context) : run.expand(after, placeBelow(place, isList ? "additionalItems" : "items"));
  const { items: _place, ...own } = given;
  if (prefix.length === 0 && rest !== false) return isOpen(rest) && after === undefined ? own : { ...given, items: asObject(rest) };
  const plain = withPlainItems(given.items === undefined ? own : given, { prefix, rest });
  run.book.add(plain.isSame ? { kind: "modernized", pointer: place.pointer, keyword } : { kind: "tuple", pointer: place.pointer });
  return plain.schema;
}

/** What items must fit that no other keyword looked at; `true` where others may have looked that are not seen here. */
function unevaluatedItems({ schema, place, run }: Context): PlainSchema | boolean {
  const { unevaluatedItems: rest } = schema;
  if (rest === undefined || !isInDialect("unevaluatedItems", run.dialect)) return true;
  const others = [...IN_PLACE, ...REFERENCE_KEYWORDS, "contains"];
  if (others.every((keyword) => schema[keyword] === undefined)) return run.expand(rest, placeBelow(place, "unevaluatedItems"));
  run.book.add({ kind: "loosened", pointer: place.pointer, keyword: "unevaluatedItems" });
  return true;
}

/** Clients do not know which keys others looked at. Where all of them are seen here, the rest is the same as `additionalProperties`. */
function withUnevaluated(all: PlainSchema, { schema, place, run }: Context): PlainSchema {
  const { unevaluatedProperties } = schema;
  if (unevaluatedProperties === undefined || !isInDialect("unevaluatedProperties", run.dialect)) return all;
  const rest = run.expand(unevaluatedProperties, placeBelow(place, "unevaluatedProperties"));
  if (isOpen(rest) || all.additionalProperties !== undefined) return all;
  const isSeen = run.looksOpenly(schema) && IN_PLACE.every((keyword) => all[keyword] === undefined) && !isCutShort(place, run);
  if (isSeen) return { ...all, additionalProperties: rest };
  run.book.add({ kind: "loosened", pointer: place.pointer, keyword: "unevaluatedProperties" });
  return all;
}

/** True if a reference that judges the value at this place was not followed: the keys it looks at are not written out. */
function isCutShort({ pointer }: ExpandPlace, { book }: ExpandRun): boolean {
  return book.notes.some(
    (note) => note.kind === "bounded" && note.pointer.startsWith(pointer) && /^(?:\/allOf\/\d+)*$/.test(note.pointer.slice(pointer.length)),
  );
}
