/**
 * Checks values against a tool's schema. Nothing is coerced; defaults are filled into a copy, so the caller's value
 * stays as it was. What does not fit is told by path, in the words of the schema.
 */
import { messageOf, ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { copyJson } from "./copy-json.ts";
import { type CompiledSchema, compileSchema, DEFAULT_DIALECT, dialectOf } from "./dialect.ts";
import { subschemasOf } from "./schema-walk.ts";
import { describeViolations } from "./violations.ts";

/** One field that does not fit. */
export interface FieldIssue {
  /** `where.column`, `items[3].price`; empty for the value as a whole. */
  readonly path: string;
  readonly kind: "value" | "missing" | "unknown";
  /** What the schema asks for, in words. */
  readonly expected: string;
  /** What stands there, as JSON of at most 60 characters; `nothing` if it is missing. */
  readonly found: string;
  /** The values the schema allows here, where it names them; at most 20. */
  readonly allowed?: readonly JsonValue[];
  /** For an unknown key: the known one it is probably meant to be. */
  readonly suggestion?: string;
}

/** Outcome of a check. `value` has the defaults in it. */
export type Validation = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly issues: readonly FieldIssue[] };

/** A schema that is ready to check values. */
export interface Validator {
  /** Never throws for a value, however odd it is. */
  validate(value: JsonValue): Validation;
}

/** How values are checked. */
export interface ValidatorOptions {
  /** Fill in defaults of the schema, in a copy. Default true; false for results, which stay as they are. */
  readonly applyDefaults?: boolean;
}

/**
 * A validator of a schema that passed `checkSchema`; it compiles at its first use (about 3 ms).
 * Throws `ToolError` TOOL_BROKEN at that moment where the schema cannot be compiled after all.
 */
export function compileValidator(schema: JsonObject | boolean, { applyDefaults = true }: ValidatorOptions = {}): Validator {
  let compiled: CompiledSchema | undefined;
  return {
    validate(value) {
      compiled ??= compile(schema, applyDefaults);
      const copied = applyDefaults ? copyJson(value) : { ok: true as const, value };
      if (!copied.ok) {
        const { path, expected } = copied;
        return { ok: false, issues: [{ path, kind: "value", expected, found: "what cannot be passed on" }] };
      }
      const subject = copied.value;
      const violations = runCheck(compiled, subject);
      if (violations === "too-odd") return { ok: false, issues: [tooOdd()] };
      return violations.length === 0 ? { ok: true, value: subject } : { ok: false, issues: describeViolations(violations, value) };
    },
  };
}

/** The validator of a schema from a cache the caller owns; one schema object is compiled once. */
export function cachedValidator(cache: WeakMap<JsonObject, Validator>, schema: JsonObject, options: ValidatorOptions = {}): Validator {
  const known = cache.get(schema) ?? compileValidator(schema, options);
  cache.set(schema, known);
  return known;
}

function compile(schema: JsonObject | boolean, applyDefaults: boolean): CompiledSchema {
  const plain = isJsonObject(schema) ? prepare(schema) : schema;
  const dialect = isJsonObject(schema) ? (dialectOf(schema) ?? DEFAULT_DIALECT) : DEFAULT_DIALECT;
  try {
    return compileSchema(plain, dialect, { applyDefaults });
  } catch (error) {
    throw notCompiled(error);
  }
}

function notCompiled(cause: unknown): ToolError {
  return new ToolError("TOOL_BROKEN", `The tool's JSON Schema cannot be compiled: ${messageOf(cause)}. Correct it in tools.json.`, {
    cause,
  });
}

/**
 * A copy without what Ajv would stumble over: the dialect and the name, which it would look up, and OpenAPI's "nullable"
 * where it stands without "type", which JSON Schema does not know and Ajv refuses.
 */
function prepare(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id, ...rest } = structuredClone(schema);
  const copy = typeof $id === "string" && $id.startsWith("#") ? { ...rest, $id } : rest;
  for (const { schema: subschema } of subschemasOf(copy)) {
    const isUsable = subschema.nullable === true && subschema.type !== undefined;
    if (!isUsable) Reflect.deleteProperty(subschema, "nullable");
  }
  return copy;
}

function runCheck(compiled: CompiledSchema, value: JsonValue): ReturnType<CompiledSchema> | "too-odd" {
  try {
    return compiled(value);
  } catch (error) {
    // Comparing objects with keys such as "valueOf" throws a TypeError, a recursive schema on deep data a RangeError.
    if (error instanceof TypeError || error instanceof RangeError) return "too-odd";
    throw error;
  }
}

function tooOdd(): FieldIssue {
  return { path: "", kind: "value", expected: "values that can be compared", found: "nesting or key names that cannot" };
}
