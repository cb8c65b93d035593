/** An Ajv for each dialect of JSON Schema. Ajv is imported in this file only. */
import { Ajv, type AnySchema, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import ajvDraft04 from "ajv-draft-04";
import ajvFormats from "ajv-formats";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { looksAtUnevaluated } from "./ajv-form.ts";
import { type Dialect, META_SCHEMA_PATHS } from "./dialect-name.ts";
import { type CompiledPattern, compilePattern } from "./pattern.ts";
import { laterKeywords } from "./publish/keywords.ts";

/** What Ajv reports, as far as it is used here. */
export interface Violation {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly schema: unknown;
  readonly parentSchema: unknown;
  readonly data: unknown;
  /** The key that broke a rule about keys (`propertyNames`). */
  readonly propertyName?: string;
}

/** Checks a value; no violations means that it fits. With `applyDefaults` it fills defaults into the value. */
export type CompiledSchema = (value: unknown) => readonly Violation[];

/** A schema of a user, compiled. */
export interface CompiledUserSchema {
  /** Throws `TextTooLong` only where `isLinear` is false. */
  readonly check: CompiledSchema;
  /** False if it has a pattern whose time may grow far faster than the text. */
  readonly isLinear: boolean;
  /** The text that such a pattern was being tried on when the check was stopped; undefined if it was stopped elsewhere. */
  stoppedAt(): PatternTrial | undefined;
}

/** A pattern and the text it is tried on. */
export interface PatternTrial {
  readonly pattern: string;
  readonly text: string;
}

/**
 * Compiles a schema with an Ajv of its own, so that the same `$id` in two schemas never meets.
 * Throws what Ajv throws: a schema must have passed `checkSchema`.
 */
export function compileSchema(
  schema: JsonObject | boolean,
  dialect: Dialect,
  { applyDefaults }: { readonly applyDefaults: boolean },
): CompiledUserSchema {
  const compiled: CompiledPattern[] = [];
  let trial: PatternTrial | undefined;
  const regExp = (pattern: string): RegExpLike => {
    const one = compilePattern(pattern);
    compiled.push(one);
    // Ajv keeps expressions by what they print as, and would take one for another.
    if (one.isLinear) return { test: (text) => one.test(text), toString: () => pattern };
    const test = (text: string): boolean => {
      trial = { pattern, text };
      const isMatch = one.test(text);
      trial = undefined;
      return isMatch;
    };
    return { test, toString: () => pattern };
  };
  const ajv = newAjv(dialect, {
    useDefaults: applyDefaults,
    // The meta-schema was checked at load; without it an Ajv costs 1 ms instead of 50.
    validateSchema: false,
    meta: false,
    // Up to draft-07 whatever stands beside a reference means nothing (draft-07 core, 8.3).
    ignoreKeywordsWithRef: dialect.startsWith("draft"),
    code: { regExp: Object.assign(regExp, { code: "regExp" }) },
  });
  // Noting which keys and items were looked at is of use to two keywords only, and fails in schemas without them (Ajv 8.20).
  if (!isJsonObject(schema) || !looksAtUnevaluated(schema)) ajv.opts.unevaluated = false;
  const check = violationsOf(ajv, schema);
  return { check, isLinear: compiled.every((one) => one.isLinear), stoppedAt: () => trial };
}

/** What Ajv asks of a regular expression, and the text it tells them apart by. */
interface RegExpLike {
  test(text: string): boolean;
  toString(): string;
}

/** Compiles the check of schemas of a dialect: the dialect's meta-schema. Takes about 50 ms, so keep the result. */
export function compileMetaSchema(dialect: Dialect): CompiledSchema {
  const ajv = newAjv(dialect, {});
  if (dialect === "draft-06") ajv.addMetaSchema(draft06);
  // Patterns are judged apart, which takes more than this format does.
  ajv.addFormat("regex", true);
  const secure = dialect.startsWith("draft") ? "http" : "https";
  return violationsOf(ajv, { $ref: `${secure}://json-schema.org/${META_SCHEMA_PATHS[dialect]}#` });
}

function newAjv(dialect: Dialect, options: Options): InstanceType<typeof Ajv> | InstanceType<typeof ajvDraft04.default> {
  const all: Options = {
    strict: false,
    allErrors: true,
    verbose: true,
    // A parameter named "toString" is not there because every object inherits one.
    ownProperties: true,
    logger: false,
    ...options,
    // The pass that shortens the code takes more time than all else of compiling, and checks are no faster for it.
    code: { ...options.code, optimize: false },
  };
  const ajv = construct(dialect, all);
  // Ajv's classes know more than their dialects: "const" in draft-04 would be judged here and told to no client.
  for (const keyword of laterKeywords(dialect)) ajv.removeKeyword(keyword);
  // The plug-in is typed for the newest class only; it uses addFormat and addKeyword, which every class has.
  ajvFormats.default(ajv as InstanceType<typeof Ajv>);
  return ajv;
}

function construct(dialect: Dialect, options: Options): InstanceType<typeof Ajv> | InstanceType<typeof ajvDraft04.default> {
  switch (dialect) {
    case "draft-04":
      return new ajvDraft04.default(options);
    case "draft-06":
    case "draft-07":
      return new Ajv(options);
    case "2019-09":
      return new Ajv2019(options);
    case "2020-12":
      return new Ajv2020(options);
  }
}

function violationsOf(ajv: ReturnType<typeof construct>, schema: AnySchema): CompiledSchema {
  const validate = ajv.compile(schema);
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({
      keyword: error.keyword,
      instancePath: error.instancePath,
      schemaPath: error.schemaPath,
      params: error.params,
      message: error.message ?? "does not fit",
      schema: error.schema,
      parentSchema: error.parentSchema,
      data: error.data,
      ...(error.propertyName === undefined ? {} : { propertyName: error.propertyName }),
    }));
  };
}
