/**
 * Judges a JSON Schema of a user when its tool is loaded: what passes here compiles and always ends.
 * Nothing is fetched, whatever addresses the schema names.
 */
import { FORBIDDEN_KEY, isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { nearestName } from "../core/text.ts";
import { toJudgedForm } from "./ajv-form.ts";
import { type CompiledSchema, compileMetaSchema, type Violation } from "./dialect.ts";
import { allDialects, type Dialect, dialectOf } from "./dialect-name.ts";
import { backtrackingReason, MAX_BACKTRACKING_CHARACTERS, MAX_PATTERN_CHARACTERS, parsePattern } from "./pattern.ts";
import { laterKeywords } from "./publish/keywords.ts";
import { type BadReference, findBadReferences } from "./schema-references.ts";
import { pointerKeys, pointerPart, type Subschema, subschemasOf } from "./schema-walk.ts";
import { shortJson } from "./short-json.ts";
import { MAX_CHECK_MS } from "./time-limit.ts";

/** Something wrong with a schema. */
export interface SchemaIssue {
  /** A warning: the schema is used all the same. Absent: an error. */
  readonly severity?: "warning";
  /** What a warning is about: a pattern that runs within limits only, or a keyword that says nothing here. Default `"pattern"`. */
  readonly about?: "pattern" | "keyword";
  /** JSON pointer from the root of the schema. */
  readonly pointer: string;
  readonly message: string;
}

/** Compiled meta-schemas, one per dialect and made when first needed (50 ms each); keep one for many schemas. */
export interface MetaSchemas {
  get(dialect: Dialect): CompiledSchema;
}

/** How a schema is judged. */
export interface SchemaCheckOptions {
  /** What the schema is called in messages. Default `"parameters"`. */
  readonly name?: string;
  /** `"object"`: the root must describe an object, as arguments are one. Default `"object"`. */
  readonly root?: "object" | "any";
  readonly metaSchemas?: MetaSchemas;
  /** Largest size as JSON text, in bytes. */
  readonly maxBytes?: number;
  /** Deepest nesting of objects and arrays. */
  readonly maxDepth?: number;
}

/**
 * Most values in one schema, each object, array, text and number counted; beyond it compiling takes seconds. A list of
 * plain values, such as a long `enum`, counts as one.
 */
export const MAX_SCHEMA_NODES = 10_000;

/** Most alternatives in one list: Ajv nests the code for each in that for the one before, and at 1,500 the stack ends. */
const MAX_ALTERNATIVES = 500;

/** The types JSON Schema knows. */
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;

/** Most faulty places looked at; of more, the rest is told after these are mended. */
const MAX_JUDGED_PLACES = 500;

/** Most issues told of one schema. */
const MAX_ISSUES = 20;

/** A holder of compiled meta-schemas. */
export function createMetaSchemas(): MetaSchemas {
  const compiled = new Map<Dialect, CompiledSchema>();
  return {
    get(dialect) {
      const known = compiled.get(dialect) ?? compileMetaSchema(dialect);
      compiled.set(dialect, known);
      return known;
    },
  };
}

/** All that is wrong with the schema, at most 20 issues; without an error among them it can be compiled and used. */
export function checkSchema(schema: JsonValue, options: SchemaCheckOptions = {}): readonly SchemaIssue[] {
  const { name = "parameters", root = "object", metaSchemas = createMetaSchemas() } = options;
  if (typeof schema === "boolean" && root === "any") return [];
  if (!isJsonObject(schema)) {
    return [{ pointer: "", message: `"${name}" must be a JSON Schema, an object; found ${shortJson(schema)}.` }];
  }
  const sizes = checkSize(schema, name, options);
  if (sizes.length > 0) return sizes;
  const dialect = dialectOf(schema);
  if (dialect === undefined) {
    const known = allDialects().join(", ");
    return [{ pointer: "/$schema", message: `"${name}.$schema" is ${shortJson(schema.$schema ?? null)}; supported are ${known}.` }];
  }
  const subschemas = subschemasOf(schema);
  const malformed = describeMalformed(metaSchemas.get(dialect)(toJudgedForm(schema, subschemas)), name);
  if (malformed.length > 0) return malformed.slice(0, MAX_ISSUES);
  const unknown = laterKeywords(dialect);
  return [
    ...(root === "object" ? checkRoot(schema, name) : []),
    ...subschemas.flatMap((subschema) => [
      ...checkAlternatives(subschema, name),
      ...checkKeywords(subschema, unknown, { dialect, name }),
      ...checkPatterns(subschema, name),
    ]),
    ...findBadReferences(schema, subschemas).map((bad) => describeReference(bad, name)),
  ].slice(0, MAX_ISSUES);
}

/** Size, depth, count and keys; first, because everything after it recurses. */
function checkSize(schema: JsonObject, name: string, options: SchemaCheckOptions): readonly SchemaIssue[] {
  const { maxBytes = LIMITS.schemaBytes.default, maxDepth = LIMITS.schemaDepth.default } = options;
  let nodes = 0;
  const waiting: { readonly value: JsonValue; readonly pointer: string; readonly depth: number }[] = [
    { value: schema, pointer: "", depth: 1 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, pointer, depth } = next;
    nodes += 1;
    if (nodes > MAX_SCHEMA_NODES) {
      return [{ pointer: "", message: `"${name}" has more than ${MAX_SCHEMA_NODES} values. Split the tool or describe less.` }];
    }
    if (typeof value !== "object" || value === null) continue;
    if (depth > maxDepth) {
      return [{ pointer, message: `"${name}" is nested deeper than ${maxDepth} levels (limit "schemaDepth").` }];
    }
    if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) continue;
    for (const [key, child] of Object.entries(value)) {
      const childPointer = pointer + pointerPart(key);
      if (key === FORBIDDEN_KEY) {
        return [
          { pointer: childPointer, message: `"${pathText(name, childPointer)}" is not allowed: "${key}" cannot be a key. Rename it.` },
        ];
      }
      waiting.push({ value: child, pointer: childPointer, depth: depth + 1 });
    }
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes <= maxBytes) return [];
  return [{ pointer: "", message: `"${name}" takes ${bytes} bytes; at most ${maxBytes} are read (limit "schemaBytes").` }];
}

function checkRoot(schema: JsonObject, name: string): readonly SchemaIssue[] {
  const { type } = schema;
  if (type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))) return [];
  return [{ pointer: "/type", message: `"${name}.type" is ${shortJson(type)}; arguments are an object, so it must be "object".` }];
}

function checkAlternatives({ pointer, schema }: Subschema, name: string): readonly SchemaIssue[] {
  return ["anyOf", "oneOf"].flatMap((keyword) => {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length <= MAX_ALTERNATIVES) return [];
    const place = `${pointer}/${keyword}`;
    const message = `"${pathText(name, place)}" has ${branches.length} alternatives; at most ${MAX_ALTERNATIVES} are read. Name plain values in an "enum".`;
    return [{ pointer: place, message }];
  });
}

/** Somebody meant what is written there; that it says nothing in an older dialect must not be found out by a call. */
function checkKeywords(
  { pointer, schema }: Subschema,
  unknown: readonly string[],
  { dialect, name }: { readonly dialect: Dialect; readonly name: string },
): readonly SchemaIssue[] {
  return unknown.flatMap((keyword) => {
    if (schema[keyword] === undefined || keyword === "then" || keyword === "else") return [];
    const place = pointer + pointerPart(keyword);
    const message = `"${pathText(name, place)}" is not known in ${dialect}, which "$schema" names, so it is not checked. Name a later one, or leave "$schema" out.`;
    return [{ severity: "warning" as const, about: "keyword" as const, pointer: place, message }];
  });
}

function checkPatterns({ pointer, schema }: Subschema, name: string): readonly SchemaIssue[] {
  const patterns: { readonly pointer: string; readonly pattern: string }[] = [];
  if (typeof schema.pattern === "string") patterns.push({ pointer: `${pointer}/pattern`, pattern: schema.pattern });
  if (isJsonObject(schema.patternProperties)) {
    for (const key of Object.keys(schema.patternProperties)) {
      patterns.push({ pointer: `${pointer}/patternProperties${pointerPart(key)}`, pattern: key });
    }
  }
  return patterns.flatMap(({ pointer: place, pattern }) => {
    const start = `"${pathText(name, place)}"`;
    const fault = patternFault(pattern);
    if (fault !== undefined) return [{ pointer: place, message: `${start} ${fault}` }];
    const reason = backtrackingReason(pattern);
    return reason === undefined ? [] : [{ severity: "warning" as const, pointer: place, message: `${start} ${slowText(reason)}` }];
  });
}

function patternFault(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    return `has ${pattern.length} characters; a regular expression here has at most ${MAX_PATTERN_CHARACTERS}.`;
  }
  try {
    parsePattern(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /s, "") : "it does not parse";
    return `is not a regular expression: ${reason}.`;
  }
}

function slowText(reason: string): string {
  return `uses ${reason}, which takes no fixed time: it is tried on at most ${MAX_BACKTRACKING_CHARACTERS} characters and for at most ${MAX_CHECK_MS} ms.`;
}

function describeReference({ pointer, reference, reason }: BadReference, name: string): SchemaIssue {
  const start = `"${pathText(name, pointer)}"`;
  const shown = shortJson(reference);
  switch (reason) {
    case "not-local":
      return { pointer, message: `${start} is ${shown}; only references inside the same schema are followed, such as "#/$defs/place".` };
    case "missing":
      return { pointer, message: `${start} is ${shown}, which is not in the schema.` };
    case "endless":
      return { pointer, message: `${start} leads back to itself by ${shown} without ever reaching a value.` };
  }
}

/** One issue per place: Ajv reports each branch of the meta-schema that a value misses. */
function describeMalformed(violations: readonly Violation[], name: string): readonly SchemaIssue[] {
  const places = new Map<string, Violation[]>();
  for (const violation of violations) {
    if (isHarmless(violation)) continue;
    places.set(violation.instancePath, [...(places.get(violation.instancePath) ?? []), violation]);
  }
  // The deepest places hold the cause; those above them only say that something below does not fit.
  const pointers = [...places.keys()].slice(0, MAX_JUDGED_PLACES);
  const deepest = pointers.filter((pointer) => !pointers.some((other) => other.startsWith(`${pointer}/`)));
  return deepest.map((pointer) => ({ pointer, message: malformedMessage(pointer, places.get(pointer) ?? [], name) }));
}

/** Keywords of other dialects mean nothing here. */
function isHarmless({ instancePath }: Violation): boolean {
  return instancePath.endsWith("/$recursiveAnchor");
}

function malformedMessage(pointer: string, violations: readonly Violation[], name: string): string {
  const start = `"${pathText(name, pointer)}"`;
  const data = violations[0]?.data;
  const found = shortJson(data);
  if (pointerKeys(pointer).at(-1) === "type" && typeof data === "string") {
    if (data === "any") return `${start} is ${found}; leave "type" out where any value may stand.`;
    const nearest = typeAlias(data) ?? nearestName(data, TYPES);
    return `${start} is ${found}; JSON Schema has ${nearest === undefined ? TYPES.map((type) => `"${type}"`).join(", ") : `"${nearest}"`}.`;
  }
  const types = violations.flatMap(({ keyword, params }) => (keyword === "type" ? [params.type].flat() : []));
  if (types.length > 0) return `${start} must be ${[...new Set(types)].join(" or ")}; found ${found}.`;
  return `${start} ${violations[0]?.message ?? "is not valid JSON Schema"}; found ${found}.`;
}

/** Names of types from other languages. */
function typeAlias(type: string): string | undefined {
  switch (type.toLowerCase()) {
    case "int":
    case "long":
      return "integer";
    case "float":
    case "double":
    case "decimal":
      return "number";
    case "str":
    case "text":
    case "date":
      return "string";
    case "bool":
      return "boolean";
    case "list":
    case "tuple":
      return "array";
    case "dict":
    case "map":
      return "object";
    default:
      return undefined;
  }
}

function pathText(name: string, pointer: string): string {
  return [name, ...pointerKeys(pointer)].join(".");
}
