import type { JsonObject } from "../core/json.ts";
import { cachedValidator, type Validator } from "../schema/validator.ts";

/** Compiled schemas of one engine, made at first use: the first ajv compile alone costs 0.1 s, a thousand cost seconds. */
export interface ValidatorCache {
  arguments(schema: JsonObject): Validator;
  /** Defaults are not filled in: a result is checked, never changed. */
  output(schema: JsonObject): Validator;
}

/** Keeps a validator as long as its schema object lives, which is as long as some tool set names it. */
export function createValidatorCache(): ValidatorCache {
  const forArguments = new WeakMap<JsonObject, Validator>();
  const forOutput = new WeakMap<JsonObject, Validator>();
  return {
    arguments: (schema) => cachedValidator(forArguments, schema),
    output: (schema) => cachedValidator(forOutput, schema, { applyDefaults: false }),
  };
}
