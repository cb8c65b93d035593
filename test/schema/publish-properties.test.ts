import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { isWidening } from "../../src/schema/publish/notes.ts";
import { type PublishedSchema, publishSchema } from "../../src/schema/publish-schema.ts";
import { checkSchema, createMetaSchemas } from "../../src/schema/schema-check.ts";
import { compileValidator, type Validator } from "../../src/schema/validator.ts";
import { anyArguments, anySchema } from "./arbitrary-schemas.ts";

const metaSchemas = createMetaSchemas();
const numRuns = Number(process.env.FC_RUNS ?? "300");
const TIME_LIMIT_MS = 600_000;

interface Pair extends PublishedSchema {
  readonly full: Validator;
  readonly short: Validator;
}

function publishedPair(schema: JsonObject): Pair {
  const made = publishSchema(schema);
  const short = compileValidator(made.published, { applyDefaults: false });
  return { ...made, short, full: compileValidator(schema, { applyDefaults: false }) };
}

/** A key that a schema does not name but that is the published name of another has no mapped form: it is read as that one. */
function hasForm(value: JsonValue, names: ReadonlyMap<string, string>): boolean {
  if (Array.isArray(value)) return value.every((item) => hasForm(item, names));
  if (!isJsonObject(value)) return true;
  const published = new Set(names.values());
  return Object.entries(value).every(([key, item]) => !published.has(key) && hasForm(item, names));
}

/** Schemas that pass the check at load. */
const usable = anySchema.filter(
  (schema) => checkSchema(schema, { metaSchemas }).every(({ severity }) => severity === "warning") && runs(schema),
);

/** Of a few odd schemas, which nothing fits, Ajv makes code that does not run; such a tool answers TOOL_BROKEN. */
function runs(schema: JsonObject): boolean {
  try {
    compileValidator(schema, { applyDefaults: false }).validate({ a: [{}] });
    return true;
  } catch (error) {
    if (error instanceof ToolError && error.cause instanceof ReferenceError) return false;
    throw error;
  }
}

test(
  "what the full schema accepts, its mapped form is accepted by the published one",
  () => {
    let accepted = 0;
    fc.assert(
      fc.property(usable, fc.array(anyArguments, { minLength: 5, maxLength: 15 }), (schema, values) => {
        const { full, short, rename } = publishedPair(schema);
        for (const value of values) {
          if (!hasForm(value, rename.names) || !full.validate(value).ok) continue;
          accepted++;
          const mapped = rename.publish(value);
          const outcome = short.validate(mapped);
          if (!outcome.ok) throw new Error(`published refuses ${JSON.stringify(mapped)}: ${JSON.stringify(outcome.issues)}`);
        }
      }),
      { numRuns },
    );
    expect(accepted).toBeGreaterThan(numRuns / 2);
  },
  TIME_LIMIT_MS,
);

test(
  "where nothing was widened, both accept the same",
  () => {
    let compared = 0;
    fc.assert(
      fc.property(usable, fc.array(anyArguments, { minLength: 5, maxLength: 15 }), (schema, values) => {
        const { full, short, rename, notes } = publishedPair(schema);
        if (notes.some(isWidening)) return;
        for (const value of values) {
          if (!hasForm(value, rename.names)) continue;
          compared++;
          const mapped = rename.publish(value);
          const both = [full.validate(value).ok, short.validate(mapped).ok];
          if (both[0] !== both[1]) throw new Error(`full, published: ${both.join()} for ${JSON.stringify(value)}`);
        }
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(numRuns);
  },
  TIME_LIMIT_MS,
);

test(
  "renaming keys of a value and naming them back gives the value, and no key is lost",
  () => {
    fc.assert(
      fc.property(usable, anyArguments, (schema, value) => {
        const { rename } = publishSchema(schema);
        expect(new Set(rename.names.values()).size).toBe(rename.names.size);
        fc.pre(hasForm(value, rename.names));
        const mapped = rename.publish(value);
        const restored = rename.restore(mapped);
        expect(restored).toEqual({ ok: true, value });
        expect(isDeepStrictEqual(rename.restore(value), restored)).toBe(true);
      }),
      { numRuns },
    );
  },
  TIME_LIMIT_MS,
);

test(
  "publishing what was published changes nothing, down to the order of keys",
  () => {
    fc.assert(
      fc.property(usable, (schema) => {
        const { published } = publishSchema(schema);
        const again = publishSchema(published);
        expect(JSON.stringify(again.published)).toBe(JSON.stringify(published));
        expect(again.rename.names.size).toBe(0);
      }),
      { numRuns },
    );
  },
  TIME_LIMIT_MS,
);
