/** The five dialects of JSON Schema that tools may use, and an Ajv for each. Ajv is imported in this file only. */
import { Ajv, type AnySchema, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import ajvDraft04 from "ajv-draft-04";
import ajvFormats from "ajv-formats";
import type { JsonObject } from "../core/json.ts";
import { compilePattern } from "./pattern.ts";

/** A dialect, named as its `$schema` addresses name it. */
export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

/** The dialect of a schema without `$schema` (MCP, schema dialect). */
export const DEFAULT_DIALECT: Dialect = "2020-12";

/** Every dialect with the path of its meta-schema below `json-schema.org`. */
const META_SCHEMA_PATHS: Readonly<Record<Dialect, string>> = {
  "draft-04": "draft-04/schema",
  "draft-06": "draft-06/schema",
  "draft-07": "draft-07/schema",
  "2019-09": "draft/2019-09/schema",
  "2020-12": "draft/2020-12/schema",
};

const META_SCHEMA_ADDRESS = /^https?:\/\/json-schema\.org\/((?:draft-0[467]|draft\/20(?:19-09|20-12))\/schema)#?$/;

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

/** The dialect that a schema names by `$schema`; undefined for an address that is none of the five. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const address = schema.$schema;
  if (address === undefined) return DEFAULT_DIALECT;
  if (typeof address !== "string") return undefined;
  const path = META_SCHEMA_ADDRESS.exec(address)?.[1];
  return allDialects().find((dialect) => META_SCHEMA_PATHS[dialect] === path);
}

/** The five names, oldest first. */
export function allDialects(): readonly Dialect[] {
  return ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];
}

/**
 * Compiles a schema with an Ajv of its own, so that the same `$id` in two schemas never meets.
 * Throws what Ajv throws: a schema must have passed `checkSchema`.
 */
export function compileSchema(
  schema: JsonObject | boolean,
  dialect: Dialect,
  { applyDefaults }: { readonly applyDefaults: boolean },
): CompiledSchema {
  // The meta-schema was checked at load; without it an Ajv costs 1 ms instead of 50.
  const ajv = newAjv(dialect, { useDefaults: applyDefaults, validateSchema: false, meta: false });
  return violationsOf(ajv, schema);
}

/** Compiles the check of schemas of a dialect: the dialect's meta-schema. Takes about 50 ms, so keep the result. */
export function compileMetaSchema(dialect: Dialect): CompiledSchema {
  const ajv = newAjv(dialect, {});
  if (dialect === "draft-06") ajv.addMetaSchema(draft06);
  // Patterns are judged by compilePattern, which takes more than this format does.
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
    code: { regExp: Object.assign(compilePattern, { code: "compilePattern" }) },
    ...options,
  };
  const ajv = construct(dialect, all);
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
