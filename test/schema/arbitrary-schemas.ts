/** Schemas and values for the property tests: small, so that many values fit and every keyword meets every other. */
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";

/** Keys that schemas name; half of them are ones that model services refuse. */
const KEYS = ["a", "b", "$c", "d e", "c"] as const;
const PATTERNS = ["^a", "[a-z]", "^(?!x)", "^\\$", "^\\p{L}+$", "e$"] as const;
const TEXTS = ["", "a", "abc", "x", "$", "é"] as const;

const key = fc.constantFrom(...KEYS);
const literal: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(
  null,
  true,
  0,
  1,
  2.5,
  -3,
  ...TEXTS,
  [],
  [1],
  ["a", 1],
  {},
  { a: 1 },
  { $c: "a" },
);

/** Values of up to three levels whose keys are those that schemas name, and one that none does. */
const anyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 4, arbitrary: literal },
    tie("object"),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.constantFrom<string[]>(...KEYS, "z"), tie("value"), { maxKeys: 4 }),
})).value;

/** The same, objects only. */
export const anyArguments: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom<string[]>(...KEYS, "z"), anyValue, { maxKeys: 5 });

const keyword = <T extends JsonValue>(name: string, value: fc.Arbitrary<T>): fc.Arbitrary<JsonObject> =>
  value.map((held) => ({ [name]: held }));

const keys = fc.uniqueArray(key, { maxLength: 2 });
const count = fc.integer({ min: 0, max: 3 });

const definition: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject[]>(
  { type: "object", properties: { a: { $ref: "#/$defs/one" }, $c: { type: "string" } } },
  { type: "array", items: { $ref: "#/$defs/two" } },
  { type: ["string", "number"] },
  { properties: { b: { $ref: "#" } }, additionalProperties: false },
  { enum: ["a", 1, { a: 1 }] },
);

function conditionOf([condition, yes, no]: readonly [JsonValue, JsonValue, JsonValue | null]): JsonObject {
  const entries = [["if", condition], ["then", yes], ...(no === null ? [] : [["else", no] as const])] as const;
  return Object.fromEntries(entries);
}

/** Schemas of 2020-12 that use every keyword that publishing touches, references to `$defs` and to the root included. */
export const anySchema: fc.Arbitrary<JsonObject> = fc
  .letrec<{ schema: JsonValue; object: JsonObject; keywords: JsonObject }>((tie) => ({
    schema: fc.oneof({ maxDepth: 3, depthSize: "small" }, { weight: 1, arbitrary: fc.boolean() }, { weight: 8, arbitrary: tie("object") }),
    object: fc.array(tie("keywords"), { maxLength: 3, depthIdentifier: "keywords" }).map((parts) => Object.assign({}, ...parts)),
    keywords: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      keyword(
        "type",
        fc.constantFrom<JsonValue[]>(
          "object",
          "array",
          "string",
          "number",
          "integer",
          "boolean",
          "null",
          ["string", "null"],
          ["object", "number"],
        ),
      ),
      keyword("enum", fc.array(literal, { minLength: 1, maxLength: 3 })),
      keyword("const", literal),
      keyword("pattern", fc.constantFrom(...PATTERNS)),
      keyword("minimum", count),
      keyword("maxLength", count),
      keyword("minItems", count),
      keyword("maxItems", count),
      keyword("minProperties", count),
      keyword("maxProperties", count),
      keyword("required", keys),
      keyword("description", fc.constantFrom("Some words.", "Other words")),
      keyword("dependentRequired", fc.dictionary(key, keys, { maxKeys: 2 })),
      keyword("$ref", fc.constantFrom("#/$defs/one", "#/$defs/two", "#")),
      fc.constant<JsonObject>({ type: "string", nullable: true }),
      keyword("properties", fc.dictionary(key, tie("schema"), { maxKeys: 3 })),
      keyword("patternProperties", fc.dictionary(fc.constantFrom(...PATTERNS), tie("schema"), { maxKeys: 2 })),
      keyword("additionalProperties", tie("schema")),
      keyword("propertyNames", tie("schema")),
      keyword("unevaluatedProperties", tie("schema")),
      keyword("unevaluatedItems", tie("schema")),
      keyword("items", tie("schema")),
      keyword("prefixItems", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
      keyword("contains", tie("schema")),
      fc.record({ contains: tie("schema"), minContains: count, maxContains: count }),
      // Not empty, and not open: then Ajv takes an array without items for one that contains something.
      keyword("dependentSchemas", fc.dictionary(key, tie("keywords"), { minKeys: 1, maxKeys: 2 })),
      keyword("allOf", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
      keyword("anyOf", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
      keyword("oneOf", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
      keyword("not", tie("schema")),
      fc.tuple(tie("schema"), tie("schema"), fc.option(tie("schema"))).map(conditionOf),
    ),
  }))
  .object.chain((root) => fc.record({ root: fc.constant(root), one: definition, two: definition }))
  .map(({ root, one, two }) => ({ ...root, type: "object", $defs: { one, two } }));
