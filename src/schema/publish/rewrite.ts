/**
 * Goes once over a schema in the common form and makes every part of it one that clients take: keys, patterns, and the
 * keywords that some ask for beside `type`.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { compilePattern, isPortablePattern } from "../pattern.ts";
import { expectedText } from "../schema-text.ts";
import { withoutConditions } from "./flatten.ts";
import {
  asObject,
  inOrder,
  isOpen,
  listAt,
  mapAt,
  type PlainSchema,
  textsAt,
  withNamedKeys,
  withOriginalName,
  withSentence,
  withTypeOfValues,
} from "./forms.ts";
import type { KeyNames } from "./key-names.ts";
import { createLocator, type Location, type Locator, renameAt } from "./key-rename.ts";
import type { NoteBook } from "./notes.ts";
import { ruleText } from "./rule-text.ts";

const SINGLE = ["items", "additionalProperties", "propertyNames", "then", "else"] as const;
const LISTS = ["allOf", "anyOf"] as const;
const MAPS = ["properties", "patternProperties", "dependentSchemas"] as const;
const IN_PLACE: ReadonlySet<string> = new Set(["then", "else", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"]);
const DATA = ["default", "const"] as const;
const DATA_LISTS = ["enum", "examples"] as const;

/** What the pass over one schema shares. */
interface Run {
  readonly book: NoteBook;
  readonly names: KeyNames;
  readonly locator: Locator;
}

/** The schema as clients take it; `names` are those for its keys. */
export function rewriteSchema(schema: PlainSchema, names: KeyNames, book: NoteBook): PlainSchema {
  const run: Run = { book, names, locator: createLocator(() => []) };
  return rewrite(schema, { schemas: run.locator.expand([schema]), pointer: "", isRoot: true }, run);
}

/** A place in the schema. */
interface Place {
  readonly pointer: string;
  /** All schemas that judge the same place of a value. */
  readonly schemas: Location;
  /** True for the root and what stands beside it in alternatives: that is flattened as one, later. */
  readonly isRoot: boolean;
}

function rewrite(schema: PlainSchema, { pointer, schemas, isRoot }: Place, run: Run): PlainSchema {
  const below = (keyword: string, child: JsonValue, key?: string | number): JsonValue => {
    if (!isJsonObject(child)) return child;
    const isInPlace = IN_PLACE.has(keyword);
    const place = {
      pointer: `${pointer}/${keyword}${key === undefined ? "" : `/${key}`}`,
      schemas: isInPlace ? schemas : locationBelow(schema, keyword, key, { location: schemas, run }),
      isRoot: isInPlace && isRoot,
    };
    return rewrite(child, place, run);
  };
  const written: Record<string, JsonValue> = { ...schema };
  for (const keyword of SINGLE) if (schema[keyword] !== undefined) written[keyword] = below(keyword, schema[keyword]);
  for (const keyword of LISTS) {
    if (schema[keyword] !== undefined) written[keyword] = listAt(schema, keyword).map((item, index) => below(keyword, item, index));
  }
  for (const keyword of MAPS) {
    if (schema[keyword] === undefined) continue;
    written[keyword] = Object.fromEntries(Object.entries(mapAt(schema, keyword)).map(([key, item]) => [key, below(keyword, item, key)]));
  }
  const logical = rewriteLogic(schema, written, below, { pointer, run });
  const named = withPortablePatterns(withNames(logical, schemas, pointer, run), pointer, run.book);
  return withCompanions(isRoot ? named : withoutConditions(named, pointer, run.book));
}

function locationBelow(
  schema: PlainSchema,
  keyword: string,
  key: string | number | undefined,
  { location, run }: { readonly location: Location; readonly run: Run },
): Location {
  if (run.names.size === 0) return [];
  if (keyword === "properties" && typeof key === "string") return run.locator.member(location, key);
  const child = key === undefined ? schema[keyword] : mapAt(schema, keyword)[key];
  return isJsonObject(child) ? run.locator.expand([child]) : [];
}

/** Keywords that turn around or count what is below them, where that was widened. */
function rewriteLogic(
  schema: PlainSchema,
  written: PlainSchema,
  below: (keyword: string, child: JsonValue, key?: number) => JsonValue,
  { pointer, run }: { readonly pointer: string; readonly run: Run },
): PlainSchema {
  const { book } = run;
  const result: Record<string, JsonValue> = { ...written };
  const loosen = (keyword: string, ...others: readonly string[]): void => {
    book.add({ kind: "loosened", pointer, keyword });
    for (const one of [keyword, ...others]) Reflect.deleteProperty(result, one);
  };
  for (const keyword of ["not", "if", "contains"] as const) {
    const child = schema[keyword];
    if (child === undefined) continue;
    const { value, isWider } = book.watch(() => below(keyword, child));
    result[keyword] = value;
    if (!isWider) continue;
    if (keyword === "not") loosen("not");
    if (keyword === "if") loosen("if", "then", "else");
    if (keyword === "contains" && schema.maxContains !== undefined) loosen("maxContains");
  }
  if (schema.oneOf === undefined) return result;
  const { value: branches, isWider } = book.watch(() => listAt(schema, "oneOf").map((branch, index) => below("oneOf", branch, index)));
  if (!isWider) return { ...result, oneOf: branches };
  loosen("oneOf");
  return result.anyOf === undefined
    ? { ...result, anyOf: branches }
    : { ...result, allOf: [...listAt(result, "allOf"), { anyOf: branches }] };
}

/** The names of keys, wherever the schema mentions them: as keys, in lists, and in values. */
function withNames(schema: PlainSchema, location: Location, pointer: string, { names, locator, book }: Run): PlainSchema {
  if (names.size === 0) return schema;
  const name = (key: string): string => names.get(key) ?? key;
  const whole = takesObjects(schema) ? withNamedKeys(schema) : schema;
  const renamed: Record<string, JsonValue> = { ...whole };
  if (schema.dependentSchemas !== undefined) renamed.dependentSchemas = mapKeys(mapAt(schema, "dependentSchemas"), name);
  const properties = Object.entries(mapAt(whole, "properties")).map(([key, item]): [string, JsonValue] => [
    name(key),
    withOriginalName(asObject(item), key, name(key)),
  ]);
  if (whole.properties !== undefined) renamed.properties = Object.fromEntries(properties);
  if (schema.required !== undefined) renamed.required = textsAt(schema, "required").map(name);
  if (schema.dependentRequired !== undefined) {
    const rules = mapAt(schema, "dependentRequired");
    renamed.dependentRequired = mapKeys(Object.fromEntries(Object.keys(rules).map((key) => [key, textsAt(rules, key).map(name)])), name);
  }
  const value = (item: JsonValue): JsonValue => renameAt(location, item, { locator, names, depth: 0 });
  for (const keyword of DATA) if (schema[keyword] !== undefined) renamed[keyword] = value(schema[keyword]);
  for (const keyword of DATA_LISTS) if (schema[keyword] !== undefined) renamed[keyword] = listAt(schema, keyword).map(value);
  return withRulesForNames(withoutUnsureValues(renamed, pointer, { names, book }), pointer, { names, book });
}

/**
 * Values that still have a key with another name: what names it at this place of the user's schema may have been left out
 * on the way here, and then a call has the other name, which these values would refuse.
 */
function withoutUnsureValues(
  schema: PlainSchema,
  pointer: string,
  { names, book }: { readonly names: KeyNames; readonly book: NoteBook },
): PlainSchema {
  let result = schema;
  for (const keyword of ["const", "enum"] as const) {
    const { [keyword]: values, ...rest } = result;
    if (values === undefined || !mentionsKey(values, names)) continue;
    const rule = ruleText(keyword, result);
    book.add({ kind: "flattened", pointer, keyword, rule });
    result = withSentence(rest, rule);
  }
  return result;
}

function mentionsKey(value: JsonValue, names: KeyNames): boolean {
  if (Array.isArray(value)) return value.some((item) => mentionsKey(item, names));
  return isJsonObject(value) && Object.entries(value).some(([key, item]) => names.has(key) || mentionsKey(item, names));
}

/** Rules about the spelling of keys that would judge the new names otherwise than the old ones. */
function withRulesForNames(
  schema: PlainSchema,
  pointer: string,
  { names, book }: { readonly names: KeyNames; readonly book: NoteBook },
): PlainSchema {
  const result: Record<string, JsonValue> = { ...schema };
  if (schema.propertyNames !== undefined) {
    book.add({ kind: "loosened", pointer, keyword: "propertyNames" });
    Reflect.deleteProperty(result, "propertyNames");
  }
  const judgesOtherwise = (pattern: string): boolean => {
    const { test } = compilePattern(pattern);
    return [...names].some(([key, name]) => test(key) !== test(name));
  };
  const patterns = Object.keys(mapAt(schema, "patternProperties")).filter(judgesOtherwise);
  if (patterns.length === 0) return result;
  book.add({ kind: "loosened", pointer, keyword: "patternProperties" });
  return withoutKeyPatterns(result, patterns, pointer, book);
}

function mapKeys(map: JsonObject, name: (key: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [name(key), item]));
}

function withPortablePatterns(schema: PlainSchema, pointer: string, book: NoteBook): PlainSchema {
  const { pattern, ...rest } = schema;
  let result: PlainSchema = schema;
  if (typeof pattern === "string" && !isPortablePattern(pattern)) {
    book.add({ kind: "pattern", pointer, pattern });
    result = withSentence(rest, `Must match the regular expression ${pattern}`);
  }
  const refused = Object.keys(mapAt(schema, "patternProperties")).filter((key) => !isPortablePattern(key));
  if (refused.length === 0) return result;
  for (const key of refused) book.add({ kind: "pattern", pointer, pattern: key });
  return withoutKeyPatterns(result, refused, pointer, book);
}

/** Without some patterns of keys; then other keys must be allowed, since those may be among them. */
function withoutKeyPatterns(schema: PlainSchema, patterns: readonly string[], pointer: string, book: NoteBook): PlainSchema {
  const { patternProperties, ...rest } = schema;
  const all = isJsonObject(patternProperties) ? patternProperties : {};
  const kept = Object.fromEntries(Object.entries(all).filter(([key]) => !patterns.includes(key)));
  const texts = patterns.map((key) => {
    const held = asObject(all[key] ?? true);
    return held.not !== undefined && isOpen(held.not)
      ? `Keys that match ${key} are not allowed.`
      : `Keys that match ${key} hold ${expectedText(held)}.`;
  });
  const { additionalProperties } = rest;
  const isClosed = !isOpen(additionalProperties);
  if (isClosed) book.add({ kind: "loosened", pointer, keyword: "additionalProperties" });
  const open = Object.fromEntries(Object.entries(rest).filter(([keyword]) => keyword !== "additionalProperties"));
  const base: PlainSchema = { ...open, ...(Object.keys(kept).length > 0 ? { patternProperties: kept } : {}) };
  const others = additionalProperties === false ? ["Other keys are not allowed."] : [];
  return [...texts, ...(isClosed ? others : [])].reduce(withSentence, base);
}

/** OpenAI's API asks for `properties` at every object and `items` at every array, Gemini's for what is required. None says anything new. */
function withCompanions(given: PlainSchema): PlainSchema {
  const schema = withTypeOfValues(given);
  const isObject = takesObjects(schema);
  const properties = isObject && schema.properties === undefined ? { properties: {} } : {};
  const items = hasType(schema, "array") && schema.items === undefined ? { items: {} } : {};
  const whole = { ...schema, ...properties, ...items };
  return inOrder(isObject ? withNamedKeys(whole) : whole);
}

function takesObjects(schema: PlainSchema): boolean {
  return hasType(schema, "object");
}

function hasType({ type }: PlainSchema, wanted: string): boolean {
  return [type].flat().includes(wanted);
}
