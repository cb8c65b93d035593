/**
 * Publishes a user's schema in a form that every known client takes: an object at the root, no references, no dialect,
 * keys and patterns that model services accept. It takes at least what the user's schema takes; that one judges the calls.
 */
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isPublishedForm } from "./publish/already.ts";
import { expandSchema } from "./publish/expand.ts";
import { flattenRoot } from "./publish/flatten.ts";
import { asObject, listAt, mapAt, type PlainSchema, withNamedKeys, withOriginalName } from "./publish/forms.ts";
import { type KeyNames, nameKeys, REFUSED_AT_TOP, REFUSED_AT_TOP_NAME } from "./publish/key-names.ts";
import { createKeyRename, createLocator, type KeyRename, type Locator } from "./publish/key-rename.ts";
import { createNoteBook, type NoteBook, type PublishNote } from "./publish/notes.ts";
import { rewriteSchema } from "./publish/rewrite.ts";
import { createReferences, type References } from "./references.ts";
import { REFERENCE_KEYWORDS, subschemasOf } from "./schema-walk.ts";

/** A schema as clients get it. */
export interface PublishedSchema {
  readonly published: JsonObject;
  /** What was changed, and why. */
  readonly notes: readonly PublishNote[];
  /** Keys of values between the two. */
  readonly rename: KeyRename;
}

/** A result's schema as clients get it; `published` is absent where none can be given. */
export interface PublishedOutput {
  readonly published?: JsonObject;
  readonly notes: readonly PublishNote[];
}

/** A tool's schemas as clients get them. */
export interface PublishedTool {
  readonly parameters: PublishedSchema;
  readonly output?: PublishedOutput;
}

/** Both schemas of a tool. */
export function publishTool({ parameters, output }: { readonly parameters: JsonObject; readonly output?: JsonObject }): PublishedTool {
  return { parameters: publishSchema(parameters), ...(output === undefined ? {} : { output: publishOutput(output) }) };
}

/** The schema of a tool's arguments. Never throws for a schema that passed `checkSchema`. Publishing what was published changes nothing. */
export function publishSchema(schema: JsonObject): PublishedSchema {
  if (isPublishedForm(schema))
    return {
      published: schema,
      notes: [],
      rename: createKeyRename(
        schema,
        new Map(),
        createLocator(() => []),
      ),
    };
  return publishWhole(schema);
}

/** The same without the short cut for plain schemas. */
export function publishWhole(schema: JsonObject): PublishedSchema {
  const { references, locator, names } = namesOf(schema);
  const { schema: plain, book } = toPlainSchema(schema, names, references);
  noteNames(names, book);
  return { published: objectForm(plain, names, book), notes: book.notes, rename: createKeyRename(schema, names, locator) };
}

/**
 * The schema of a tool's results. Keys stay as they are, since a result is data that people read. Clients that validate
 * the tool list by the rules of model services could refuse a schema with other keys, so such a one is not published at
 * all: the specification lets a tool give structured results without one. One key is refused at the top of results themselves,
 * so there it has its other name in both; a schema that names it further down too is not published either.
 * A root that is no object stays one: 2026-07-28 takes it, and the SDK wraps it for older clients.
 */
export function publishOutput(schema: JsonObject): PublishedOutput {
  const { references, names } = namesOf(schema);
  const isKept = [...names].every(([from, to]) => from === REFUSED_AT_TOP && to === REFUSED_AT_TOP_NAME);
  const { schema: plain, book } = isKept ? toPlainSchema(schema, names, references) : { schema: {}, book: createNoteBook() };
  noteNames(names, book);
  if (!isKept) return { notes: book.notes };
  const published = isObjectSchema(plain) ? objectForm(plain, names, book) : plain;
  return { ...(names.size > 0 && namesBelow(published, REFUSED_AT_TOP_NAME) ? {} : { published }), notes: book.notes };
}

/** True if a schema below the root names the key. */
function namesBelow(root: JsonObject, key: string): boolean {
  const locator = createLocator(() => []);
  return subschemasOf(root).some(({ schema }) => schema !== root && locator.keysAt([schema]).has(key));
}

function namesOf(schema: JsonObject): { readonly references: References; readonly locator: Locator; readonly names: KeyNames } {
  const references = createReferences(schema);
  const locator = createLocator((part) =>
    REFERENCE_KEYWORDS.flatMap((keyword) => {
      const target = typeof part[keyword] === "string" ? references.follow(part, keyword) : undefined;
      return target === undefined ? [] : [target.schema];
    }),
  );
  return { references, locator, names: nameKeys(references.subschemas, locator.keysAt(locator.expand([schema]))) };
}

function isFlat(plain: PlainSchema): boolean {
  return ["allOf", "anyOf", "oneOf", "if", "dependentSchemas"].every((keyword) => plain[keyword] === undefined);
}

function settled(flat: JsonObject, book: NoteBook): PlainSchema {
  const again = toPlainSchema(flat, new Map(), createReferences(flat));
  for (const note of again.book.notes) book.add(note);
  return again.schema;
}

function noteNames(names: KeyNames, book: NoteBook): void {
  for (const [from, to] of names) book.add({ kind: "renamed", from, to });
}

/** The root as an object without what clients refuse there. */
function objectForm(plain: PlainSchema, names: KeyNames, book: NoteBook): JsonObject {
  const flat = withRoot(flattenRoot(plain, book), book);
  // What alternatives say together of one key may be simpler than each of them, or want companions.
  const whole = isFlat(plain) ? flat : withRoot(settled(flat, book), book);
  // Of keys that several alternatives name the descriptions are gone where those differ.
  const properties: Record<string, JsonValue> = { ...mapAt(whole, "properties") };
  for (const [key, name] of names) {
    if (Object.hasOwn(properties, name)) properties[name] = withOriginalName(asObject(properties[name] ?? true), key, name);
  }
  return { ...whole, properties };
}

/** Most passes; each takes away at least one keyword that the one before could not, and two are enough for all that was ever seen. */
const MAX_PASSES = 8;

function toPlainSchema(
  schema: JsonObject,
  names: KeyNames,
  references: References,
): { readonly schema: PlainSchema; readonly book: NoteBook } {
  const expansion = expandSchema(schema, references);
  const book = createNoteBook();
  for (const note of expansion.notes) book.add(note);
  let { value: plain, isWider } = book.watch(() => rewriteSchema(expansion.schema, names, book));
  // What is left after a keyword was taken away may be simpler than it looks.
  for (let pass = 1; isWider && pass < MAX_PASSES; pass++) {
    const again = expandSchema(plain);
    ({ value: plain, isWider } = book.watch(() => rewriteSchema(again.schema, new Map(), book)));
  }
  return { schema: plain, book };
}

/** `type` and `properties` are always there: clients refuse a list without them. */
function withRoot(flat: PlainSchema, book: NoteBook): JsonObject {
  const { type, properties, ...rest } = flat;
  if (type === undefined) book.add({ kind: "completed", pointer: "", keyword: "type" });
  if (properties === undefined) book.add({ kind: "completed", pointer: "", keyword: "properties" });
  // Such a schema takes no arguments at all, which a client cannot be told.
  if (type !== undefined && ![type].flat().includes("object")) book.add({ kind: "loosened", pointer: "", keyword: "type" });
  return withNamedKeys({ type: "object", properties: properties ?? {}, ...rest });
}

/** True if only objects fit: by its type, or by that of every alternative. */
function isObjectSchema(schema: PlainSchema): boolean {
  if (schema.type !== undefined) return schema.type === "object";
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = listAt(schema, keyword).map(asObject);
    if (branches.length > 0) return branches.every(isObjectSchema);
  }
  return listAt(schema, "allOf").map(asObject).some(isObjectSchema);
}
