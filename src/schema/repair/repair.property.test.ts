import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { compileValidator } from "../validator.ts";
import { createArgumentReader } from "./argument-reader.ts";

const KEYS = ["a", "b", "c"] as const;

/** Schemas with every applicator that repair follows, and some that it does not. */
const schemas = fc.letrec<{ schema: JsonValue; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom<JsonValue>(
      true,
      {},
      { type: "string" },
      { type: "integer" },
      { type: "number" },
      { type: "boolean" },
      { type: "null" },
    ),
    fc.constantFrom<JsonValue>(
      { type: ["integer", "null"] },
      { enum: [1, "1", true] },
      { enum: [1, 2] },
      { const: true },
      { type: "string", pattern: "^x" },
    ),
    fc.constantFrom<JsonValue>({ type: "array" }, { type: "object" }, { $ref: "#/$defs/d" }, { type: "integer", minimum: 3 }),
    tie("object"),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ contains: tie("schema") }),
    fc.record({ not: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
  ),
  object: fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom(...KEYS), tie("schema"), { noNullPrototype: true }),
      required: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    },
    { requiredKeys: ["type", "properties"], noNullPrototype: true },
  ),
}));

const roots = fc
  .record({ root: schemas.object, d: schemas.schema })
  .map(({ root, d }): JsonObject => ({ ...root, $defs: { d: isLoop(d) ? true : d } }));

/** A definition that is nothing but itself has no end; the loader refuses it. */
function isLoop(schema: JsonValue): boolean {
  return JSON.stringify(schema).includes("$ref");
}

const texts = fc.constantFrom("1", "2", "5", "3.7", "true", "null", "x", "", "[1]", '["1"]', '{"a":"1"}', '{"b":[true]}', "01", "1e400");
const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    texts,
    fc.constantFrom<JsonValue>(null, true, 1, 2, 5, 0.5),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { noNullPrototype: true }),
  ),
})).value;
const args = fc.dictionary(fc.constantFrom(...KEYS), values, { noNullPrototype: true });

function check(
  root: JsonObject,
  given: JsonObject,
): { readonly before: boolean; readonly read: ReturnType<ReturnType<typeof createArgumentReader>["read"]> } {
  const validator = compileValidator(root, { applyDefaults: false });
  return { before: validator.validate(given).ok, read: createArgumentReader(root, { validator }).read(given, { repair: true }) };
}

test("repair never changes arguments that fit, gives only arguments that fit, and changes nothing twice", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(roots, args, (root, given) => {
      const { before, read } = check(root, given);
      if (before) {
        expect(read).toEqual({ ok: true, value: given, repaired: [] });
        return;
      }
      if (!read.ok) return;
      expect(read.repaired.length).toBeGreaterThan(0);
      expect(read.repaired.every(({ from }) => from === "string")).toBe(true);
      // Infinity and -0 are no JSON: text that stands for more than a number holds must stay text.
      expect(JSON.parse(JSON.stringify(read.value))).toEqual(read.value);
      const again = check(root, read.value);
      expect(again.before).toBe(true);
      expect(again.read).toEqual({ ok: true, value: read.value, repaired: [] });
    }),
    { numRuns: 250, seed: 20_261_202 },
  );
});

test("a text that the schema takes at its place is never read as anything else", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(schemas.schema, texts, fc.boolean(), (schema, text, isElsewhereWrong) => {
      fc.pre(!isLoop(schema));
      const alone = compileValidator({ type: "object", properties: { x: schema } }, { applyDefaults: false });
      fc.pre(alone.validate({ x: text }).ok);
      const root: JsonObject = { type: "object", properties: { x: schema, y: { type: "integer" } } };
      const given = { x: text, y: isElsewhereWrong ? "7" : 7 };
      const read = createArgumentReader(root, { validator: compileValidator(root, { applyDefaults: false }) }).read(given, {
        repair: true,
      });
      expect(read).toMatchObject({ ok: true, value: { x: text, y: 7 } });
    }),
    { numRuns: 150, seed: 20_261_202 },
  );
});

/** A schema, a value that fits it, and the same value with some of what is no text written as text. */
interface Written {
  readonly schema: JsonValue;
  readonly value: JsonValue;
  readonly written: JsonValue;
}

const leaves = fc.oneof(
  fc.integer().map((value): Written => leaf({ type: "integer" }, value)),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Object.is(value, -0))
    .map((value): Written => leaf({ type: "number" }, value)),
  fc.boolean().map((value): Written => leaf({ type: "boolean" }, value)),
  fc.constantFrom(1, 2).map((value): Written => leaf({ enum: [1, 2] }, value)),
  fc.string().map((value): Written => ({ schema: { type: "string" }, value, written: value })),
);

function leaf(schema: JsonValue, value: JsonValue): Written {
  return { schema, value, written: JSON.stringify(value) };
}

const written = fc.letrec<{ any: Written }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    leaves,
    fc
      .tuple(tie("any"), fc.boolean(), fc.constantFrom("anyOf", "oneOf"))
      .map(([one, isText, keyword]) => asText({ ...one, schema: { [keyword]: [{ type: "null" }, one.schema] } }, isText)),
    fc.tuple(tie("any"), tie("any"), fc.boolean()).map(([a, b, isText]) =>
      asText(
        {
          schema: { type: "object", properties: { a: a.schema, b: { allOf: [b.schema] } }, required: ["a"] },
          value: { a: a.value, b: b.value },
          written: { a: a.written, b: b.written },
        },
        isText,
      ),
    ),
    fc
      .tuple(tie("any"), fc.boolean())
      .map(([one, isText]) =>
        asText({ schema: { type: "array", items: one.schema }, value: [one.value, one.value], written: [one.written, one.value] }, isText),
      ),
  ),
})).any;

/** An object or array as JSON text, where wanted; a member may be text in it once more. */
function asText(one: Written, isText: boolean): Written {
  const isStructure = typeof one.written === "object" && one.written !== null;
  return isText && isStructure ? { ...one, written: JSON.stringify(one.written) } : one;
}

test("whatever was written as text where no text is allowed is read as what it was", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(written, ({ schema, value, written: text }) => {
      const root: JsonObject = { type: "object", properties: { x: schema } };
      const read = createArgumentReader(root, { validator: compileValidator(root, { applyDefaults: false }) }).read(
        { x: text },
        { repair: true },
      );
      expect(read).toMatchObject({ ok: true, value: { x: value } });
    }),
    { numRuns: 250, seed: 20_261_202 },
  );
});
