import type { JsonObject } from "../core/json.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { type PublishedSchema, type PublishedTool, publishOutput, publishSchema } from "../schema/publish-schema.ts";
import { type ArgumentReader, createArgumentReader } from "../schema/repair/argument-reader.ts";
import { createTimeLimiter, type TimeLimiter } from "../schema/time-limit.ts";
import { cachedValidator, compileValidator, type Validator } from "../schema/validator.ts";

/** Schemas of one engine, published and compiled at first use: the first ajv compile alone costs 0.1 s, a thousand cost seconds. */
export interface ValidatorCache {
  arguments(schema: JsonObject): ArgumentReader;
  /** Defaults are not filled in: a result is checked, never changed. */
  output(schema: JsonObject): Validator;
  /** The schemas of a tool as clients get them. */
  published(tool: Pick<ToolDefinition, "parameters" | "output">): PublishedTool;
}

/** Keeps what was made as long as its schema object lives, which is as long as some tool set names it. */
export function createValidatorCache(): ValidatorCache {
  const forArguments = new WeakMap<JsonObject, ArgumentReader>();
  const forOutput = new WeakMap<JsonObject, Validator>();
  const parametersOf = kept(publishSchema);
  const outputOf = kept(publishOutput);
  const limiter = createTimeLimiter();
  return {
    arguments: (schema) => {
      const reader = forArguments.get(schema) ?? makeReader(schema, parametersOf(schema), limiter);
      forArguments.set(schema, reader);
      return reader;
    },
    output: (schema) => cachedValidator(forOutput, schema, { applyDefaults: false, limiter }),
    published: ({ parameters, output }) => ({
      parameters: parametersOf(parameters),
      ...(output === undefined ? {} : { output: outputOf(output) }),
    }),
  };
}

function kept<T>(make: (schema: JsonObject) => T): (schema: JsonObject) => T {
  const made = new WeakMap<JsonObject, T>();
  return (schema) => {
    const known = made.get(schema) ?? make(schema);
    made.set(schema, known);
    return known;
  };
}

function makeReader(schema: JsonObject, { rename }: PublishedSchema, limiter: TimeLimiter): ArgumentReader {
  // The reader fills in defaults itself, where the checker would not: in alternatives, and only those that fit.
  return createArgumentReader(schema, { validator: compileValidator(schema, { applyDefaults: false, limiter }), restore: rename.restore });
}
