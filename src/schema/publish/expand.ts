/**
 * Writes a schema out: every reference is replaced by what it leads to, and every dialect is put into one form. What
 * cannot be written out to its end, since it leads back to itself or grows too large, ends in a schema that takes more.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { DEFAULT_DIALECT, type Dialect, dialectOf } from "../dialect-name.ts";
import { createReferences, type ReferenceKeyword, type References } from "../references.ts";
import { REFERENCE_KEYWORDS } from "../schema-walk.ts";
import { expandKeywords } from "./expand-keywords.ts";
import type { ExpandPlace, ExpandRun } from "./expand-run.ts";
import { annotationsOf, asObject, listAt, type PlainSchema } from "./forms.ts";
import { createNoteBook, type PublishNote } from "./notes.ts";

/** A schema written out. */
export interface Expansion {
  readonly schema: PlainSchema;
  readonly notes: readonly PublishNote[];
}

/** How far references are followed. */
interface Reach {
  /** How often a target may be open below itself. */
  readonly recursion: number;
  /** How many references may be open at one place. */
  readonly references: number;
}

/** From far to near; the first one that stays within the size is taken. */
const REACHES: readonly Reach[] = [
  { recursion: 2, references: 32 },
  { recursion: 1, references: 32 },
  { recursion: 0, references: 32 },
  { recursion: 0, references: 8 },
  { recursion: 0, references: 5 },
  { recursion: 0, references: 3 },
  { recursion: 0, references: 2 },
  { recursion: 0, references: 1 },
  { recursion: 0, references: 0 },
];

/** Deepest nesting of what is published, in JSON: that of a user's own schemas, less what an open end and companions of types take. */
const MAX_DEPTH = LIMITS.schemaDepth.default - 3;

/** Values and characters up to which references are written out; a schema that is larger by itself may be as large as it is. About 16,000 tokens. */
const MAX_VALUES = 5_000;
const MAX_CHARACTERS = 65_536;

/** Writes a schema out. Never throws for one that passed `checkSchema`; in others, what leads nowhere takes any value. */
export function expandSchema(root: JsonObject, references: References = createReferences(root)): Expansion {
  const size = JSON.stringify(root).length;
  const maxCharacters = Math.max(MAX_CHARACTERS, 2 * size);
  const maxValues = Math.max(MAX_VALUES, 2 * references.subschemas.length);
  for (const reach of REACHES) {
    const isLast = reach === REACHES.at(-1);
    const done = expandWithin(root, references, { ...reach, maxValues: isLast ? Number.POSITIVE_INFINITY : maxValues });
    if (done !== undefined && (isLast || JSON.stringify(done.schema).length <= maxCharacters)) return done;
  }
  return { schema: {}, notes: [] };
}

function expandWithin(
  root: JsonObject,
  references: References,
  { maxValues, ...reach }: Reach & { readonly maxValues: number },
): Expansion | undefined {
  const book = createNoteBook();
  let values = 0;
  const run: ExpandRun = {
    dialect: dialectOf(root) ?? DEFAULT_DIALECT,
    book,
    root,
    looksOpenly: (schema) => looksOpenly(schema, references),
    expand: (schema, place) => {
      values++;
      if (!isJsonObject(schema)) return schema !== false;
      if (values > maxValues) return true;
      return expandOne(schema, enter(place, references.resourceOf(schema)), { run, references, reach });
    },
  };
  const schema = asObject(run.expand(root, { pointer: "", scope: [], open: [root], depth: 0 }));
  return values > maxValues ? undefined : { schema, notes: book.notes };
}

/** Keywords that look at keys for some values only, or at those that others did not look at. */
const CONDITIONAL = ["anyOf", "oneOf", "if", "dependentSchemas", "dependencies"] as const;

function looksOpenly(start: JsonObject, references: References): boolean {
  const seen = new Set<JsonObject>();
  const waiting: JsonValue[] = [start];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (!isJsonObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (CONDITIONAL.some((keyword) => schema[keyword] !== undefined)) return false;
    if (schema !== start && schema.unevaluatedProperties !== undefined) return false;
    for (const keyword of REFERENCE_KEYWORDS) waiting.push(references.follow(schema, keyword)?.schema ?? true);
    waiting.push(...listAt(schema, "allOf"));
  }
  return true;
}

function enter(place: ExpandPlace, resource: JsonObject): ExpandPlace {
  return place.scope.at(-1) === resource ? place : { ...place, scope: [...place.scope, resource] };
}

interface Tools {
  readonly run: ExpandRun;
  readonly references: References;
  readonly reach: Reach;
}

function expandOne(schema: JsonObject, place: ExpandPlace, tools: Tools): PlainSchema | boolean {
  const { run } = tools;
  const keywords = REFERENCE_KEYWORDS.filter((keyword) => typeof schema[keyword] === "string" && isUsed(keyword, run.dialect));
  const targets = keywords.map((keyword) => follow(schema, keyword, place, tools));
  return expandKeywords(isAlone(schema, run.dialect) ? annotationsOf(schema) : schema, targets, place, run);
}

/** Up to draft-07 whatever stands beside a reference means nothing, but a description there is meant for the reader. */
function isAlone(schema: JsonObject, dialect: Dialect): boolean {
  return typeof schema.$ref === "string" && dialect.startsWith("draft");
}

function isUsed(keyword: ReferenceKeyword, dialect: Dialect): boolean {
  switch (keyword) {
    case "$ref":
      return true;
    case "$recursiveRef":
      return dialect === "2019-09";
    case "$dynamicRef":
      return dialect === "2020-12";
  }
}

function follow(
  schema: JsonObject,
  keyword: ReferenceKeyword,
  place: ExpandPlace,
  { run, references, reach }: Tools,
): PlainSchema | boolean {
  const { pointer } = place;
  const reference = String(schema[keyword]);
  const target = references.follow(schema, keyword, place.scope);
  if (target === undefined) {
    run.book.add({ kind: "bounded", pointer, reference, reason: "missing" });
    return true;
  }
  if (!isJsonObject(target.schema)) return target.schema;
  const inside = place.open.filter((open) => open === target.schema).length;
  const isRecursion = inside > reach.recursion;
  const isDeep = place.depth + nestingOf(target.schema) > MAX_DEPTH;
  if (isRecursion || place.open.length > reach.references || isDeep) {
    run.book.add({ kind: "bounded", pointer, reference, reason: isRecursion ? "recursion" : "size" });
    return openForm(target.schema, reference, isAlone(target.schema, run.dialect));
  }
  run.book.add({ kind: "inlined", pointer, reference });
  return run.expand(target.schema, { ...enter(place, target.resource), open: [...place.open, target.schema] });
}

/** Levels of JSON in a schema, its definitions apart. */
function nestingOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = isJsonObject(value)
    ? Object.entries(value).flatMap(([key, item]) => (key === "$defs" || key === "definitions" ? [] : [item]))
    : value;
  return 1 + parts.reduce<number>((most, part) => Math.max(most, nestingOf(part)), 0);
}

/** What a reference becomes that is not followed: its type if that is plain to see and counts, and words. */
function openForm(target: JsonObject, reference: string, isTypeIgnored: boolean): PlainSchema {
  const { type, title, description } = target;
  const isPlain = typeof type === "string" && target.nullable !== true && !isTypeIgnored;
  const name = reference.split(/[#/]/).findLast((part) => part !== "" && part !== "$defs" && part !== "definitions");
  const about = typeof title === "string" ? title : (name ?? (typeof description === "string" ? description : "the whole"));
  return { ...(isPlain ? { type } : {}), description: `The same form again: ${about}. It may be nested further than is written out here.` };
}
