import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { mapAt, textsAt } from "../../src/schema/publish/forms.ts";
import { isWidening } from "../../src/schema/publish/notes.ts";
import { type PublishedSchema, publishOutput, publishSchema } from "../../src/schema/publish-schema.ts";
import { checkSchema, createMetaSchemas } from "../../src/schema/schema-check.ts";
import { subschemasOf } from "../../src/schema/schema-walk.ts";
import { compileValidator, type Validator } from "../../src/schema/validator.ts";
import { toMcpResult } from "../../src/server/call-result.ts";
import { anyArguments } from "./arbitrary-schemas.ts";
import { likelyArguments } from "./likely-values.ts";
import { anyDialectSchema } from "./schema-dialects.ts";

const metaSchemas = createMetaSchemas();
// `FC_RUNS=20000 npx vitest run test/schema/publish-properties.test.ts` tries so many schemas that nobody tried before.
const { FC_RUNS } = process.env;
const runs = FC_RUNS === undefined ? { numRuns: 800, seed: 20_261_202 } : { numRuns: Number(FC_RUNS) };
const { numRuns } = runs;
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

/** Every key that the schema names for a value. */
function keysIn(schema: JsonObject): readonly string[] {
  return subschemasOf(schema).flatMap(({ schema: part }) => [
    ...Object.keys(mapAt(part, "properties")),
    ...textsAt(part, "required"),
    ...Object.keys(mapAt(part, "dependentRequired")),
    ...Object.values(mapAt(part, "dependentRequired")).flatMap((keys) =>
      Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
    ),
    ...Object.keys(mapAt(part, "dependentSchemas")),
  ]);
}

/** Schemas that pass the check at load. */
const usable = anyDialectSchema.filter((schema) => checkSchema(schema, { metaSchemas }).every(({ severity }) => severity === "warning"));

/** What arguments for a schema are made of: numbers for likely ones, and some of any kind. */
const makings = fc.record({
  numbers: fc.array(fc.nat(), { minLength: 200, maxLength: 200 }),
  any: fc.array(anyArguments, { minLength: 2, maxLength: 5 }),
});

function argumentsFor(schema: JsonObject, { numbers, any }: Made): readonly JsonObject[] {
  return [...likelyArguments(schema, numbers, 18), ...any];
}

type Made = typeof makings extends fc.Arbitrary<infer T> ? T : never;

test(
  "what the full schema accepts, its mapped form is accepted by the published one",
  () => {
    let accepted = 0;
    fc.assert(
      fc.property(usable, makings, (schema, made) => {
        const { full, short, rename } = publishedPair(schema);
        for (const value of argumentsFor(schema, made)) {
          if (!hasForm(value, rename.names) || !full.validate(value).ok) continue;
          accepted++;
          const mapped = rename.publish(value);
          const outcome = short.validate(mapped);
          if (!outcome.ok) throw new Error(`published refuses ${JSON.stringify(mapped)}: ${JSON.stringify(outcome.issues)}`);
        }
      }),
      runs,
    );
    expect(accepted).toBeGreaterThan(numRuns * 4);
  },
  TIME_LIMIT_MS,
);

test(
  "where nothing was widened, both accept the same",
  () => {
    let compared = 0;
    fc.assert(
      fc.property(usable, makings, (schema, made) => {
        const { full, short, rename, notes } = publishedPair(schema);
        if (notes.some(isWidening)) return;
        for (const value of argumentsFor(schema, made)) {
          if (!hasForm(value, rename.names)) continue;
          compared++;
          const mapped = rename.publish(value);
          const both = [full.validate(value).ok, short.validate(mapped).ok];
          if (both[0] !== both[1]) throw new Error(`full, published: ${both.join()} for ${JSON.stringify(value)}`);
        }
      }),
      runs,
    );
    expect(compared).toBeGreaterThan(numRuns);
  },
  TIME_LIMIT_MS,
);

test(
  "renaming keys of a value and naming them back gives the value, no key is lost, and none has the name of another",
  () => {
    let renamed = 0;
    fc.assert(
      fc.property(usable, makings, (schema, made) => {
        const { rename } = publishSchema(schema);
        const published = new Set(rename.names.values());
        expect(published.size).toBe(rename.names.size);
        expect(keysIn(schema).filter((key) => published.has(key))).toEqual([]);
        for (const value of argumentsFor(schema, made)) {
          if (!hasForm(value, rename.names)) continue;
          const mapped = rename.publish(value);
          const restored = rename.restore(mapped);
          expect(restored).toEqual({ ok: true, value });
          expect(rename.restore(value)).toEqual(restored);
          renamed += isDeepStrictEqual(mapped, value) ? 0 : 1;
        }
      }),
      runs,
    );
    expect(renamed).toBeGreaterThan(numRuns);
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
      runs,
    );
  },
  TIME_LIMIT_MS,
);

test(
  "publishing a schema of results that was published changes nothing either, down to the order of keys",
  () => {
    let compared = 0;
    fc.assert(
      fc.property(usable, (given) => {
        // Most of these schemas name a key for which a schema of results is not published at all.
        for (const schema of [given, withConstructor(given)]) {
          const { published } = publishOutput(schema);
          if (published === undefined) continue;
          compared++;
          const again = publishOutput(published);
          expect(JSON.stringify(again.published)).toBe(JSON.stringify(published));
          expect(again.notes).toEqual([]);
        }
      }),
      runs,
    );
    expect(compared).toBeGreaterThan(numRuns / 2);
  },
  TIME_LIMIT_MS,
);

/** The same with `constructor` for one key, and names for the others that need none. */
function withConstructor(value: JsonObject): JsonObject {
  const text = JSON.stringify(value).replaceAll('"c"', '"constructor"').replaceAll('"$c"', '"sc"').replaceAll('"d e"', '"de"');
  const changed: JsonObject = JSON.parse(text.replaceAll('"d/e"', '"df"'));
  return changed;
}

/** True if keys at the top are judged by how they are spelled: then one that no schema names may not fit under its other name. */
function judgesSpelling({ patternProperties, propertyNames }: JsonObject): boolean {
  return patternProperties !== undefined || propertyNames !== undefined;
}

test(
  "a result that the full schema accepts is accepted by the published one in the form in which clients get it",
  () => {
    let renamed = 0;
    fc.assert(
      fc.property(usable, makings, (given, made) => {
        const schema = withConstructor(given);
        const { published } = publishOutput(schema);
        if (published === undefined || judgesSpelling(published)) return;
        const full = compileValidator(schema, { applyDefaults: false });
        const short = compileValidator(published, { applyDefaults: false });
        for (const value of argumentsFor(given, made).map(withConstructor)) {
          if (!full.validate(value).ok) continue;
          const text = JSON.stringify(value);
          const result = { kind: "ok", callId: "c", text, value, structured: value } as const;
          const { structuredContent } = toMcpResult(result, { era: "legacy", hasOutput: true });
          const form: JsonValue = JSON.parse(JSON.stringify(structuredContent));
          renamed += isDeepStrictEqual(form, value) ? 0 : 1;
          const outcome = short.validate(form);
          if (!outcome.ok) throw new Error(`published refuses ${JSON.stringify(form)}: ${JSON.stringify(outcome.issues)}`);
        }
      }),
      { ...runs, numRuns: numRuns / 4 },
    );
    expect(renamed).toBeGreaterThan(numRuns / 8);
  },
  TIME_LIMIT_MS,
);
