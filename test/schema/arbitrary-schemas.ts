/** Schemas and values for the property tests: small, so that many values fit and every keyword meets every other. */
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";

/** Keys that schemas name; half of them are ones that model services refuse, and some of those would get one name. */
const KEYS = ["a", "b", "$c", "d e", "c", "d/e"] as const;
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
// Bounds that leave something between them.
const low = fc.integer({ min: 0, max: 1 });
const high = fc.integer({ min: 2, max: 4 });

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

/** A schema with its first keyword, and some of the others. */
function optional(keywords: Readonly<Record<string, fc.Arbitrary<JsonValue>>>): fc.Arbitrary<JsonObject> {
  const [first = ""] = Object.keys(keywords);
  const some = ([name, value]: readonly [string, fc.Arbitrary<JsonValue>]): fc.Arbitrary<JsonObject> => {
    const given = keyword(name, value);
    return name === first ? given : fc.oneof({ weight: 3, arbitrary: fc.constant<JsonObject>({}) }, { weight: 2, arbitrary: given });
  };
  return fc.tuple(...Object.entries(keywords).map(some)).map((all) => Object.assign({}, ...all));
}

const text = optional({ type: fc.constant("string"), pattern: fc.constantFrom(...PATTERNS), minLength: low, maxLength: high });

/** Where a rule for text counts the other way round, or is counted: what takes more must not stand there. */
const turnedText: fc.Arbitrary<JsonObject> = fc.oneof(
  keyword("oneOf", fc.array(text, { minLength: 2, maxLength: 2 })),
  fc.record({ type: fc.constant("string"), not: text }),
  fc.tuple(text, text, fc.option(text)).map(conditionOf),
  fc.record({ type: fc.constant("array"), contains: text, maxContains: low }),
);

type Parts = {
  readonly schema: JsonValue;
  /** A few keywords that have nothing to do with each other. */
  readonly object: JsonObject;
  readonly keywords: JsonObject;
  /** As people write them: a type, and what goes with it. */
  readonly shaped: JsonObject;
  readonly root: JsonObject;
  readonly plain: JsonObject;
  readonly combined: JsonObject;
};

const parts = fc.letrec<Parts>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 1, arbitrary: fc.boolean() },
    { weight: 6, arbitrary: tie("object") },
    { weight: 6, arbitrary: tie("shaped") },
  ),
  object: fc.array(tie("keywords"), { maxLength: 3, depthIdentifier: "keywords" }).map((parts) => Object.assign({}, ...parts)),
  shaped: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    {
      weight: 3,
      arbitrary: optional({
        type: fc.constantFrom("integer", "number"),
        minimum: low,
        maximum: high,
        exclusiveMinimum: low,
        exclusiveMaximum: high,
        multipleOf: fc.constantFrom(1, 0.5),
      }),
    },
    { weight: 3, arbitrary: text },
    { weight: 2, arbitrary: turnedText },
    { weight: 1, arbitrary: keyword("enum", fc.array(literal, { minLength: 2, maxLength: 4 })) },
    {
      weight: 2,
      arbitrary: optional({
        type: fc.constant("array"),
        items: tie("schema"),
        prefixItems: fc.array(tie("shaped"), { minLength: 1, maxLength: 3 }),
        minItems: low,
        maxItems: high,
        uniqueItems: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: tie("root") },
  ),
  root: fc.tuple(tie("plain"), tie("combined")).map(([plain, combined]) => ({ ...plain, ...combined })),
  plain: optional({
    type: fc.constant("object"),
    properties: fc.dictionary(key, tie("schema"), { minKeys: 1, maxKeys: 3 }),
    required: keys,
    additionalProperties: fc.oneof({ maxDepth: 2, depthSize: "small" }, fc.constant(false), tie("shaped")),
    minProperties: low,
    maxProperties: high,
    description: fc.constantFrom("Some words.", "Other words"),
  }),
  combined: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    { weight: 6, arbitrary: fc.constant<JsonObject>({}) },
    keyword("$ref", fc.constantFrom("#/$defs/one", "#/$defs/two")),
    keyword("allOf", fc.array(tie("root"), { minLength: 1, maxLength: 2 })),
    keyword("anyOf", fc.array(tie("root"), { minLength: 1, maxLength: 3 })),
    keyword("oneOf", fc.array(tie("root"), { minLength: 1, maxLength: 3 })),
  ),
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
    keyword("dependentSchemas", fc.dictionary(key, tie("schema"), { maxKeys: 2 })),
    keyword("allOf", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
    keyword("anyOf", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
    keyword("oneOf", fc.array(tie("schema"), { minLength: 1, maxLength: 3 })),
    keyword("not", tie("schema")),
    fc.tuple(tie("schema"), tie("schema"), fc.option(tie("schema"))).map(conditionOf),
  ),
}));

/** Schemas of 2020-12 that use every keyword that publishing touches, references to `$defs` and to the root included. */
export const anySchema: fc.Arbitrary<JsonObject> = fc
  .record({
    root: fc.oneof({ weight: 1, arbitrary: parts.object }, { weight: 3, arbitrary: parts.root }),
    more: fc.oneof({ weight: 3, arbitrary: fc.constant<JsonObject>({}) }, { weight: 1, arbitrary: parts.keywords }),
    one: definition,
    two: definition,
  })
  .map(({ root, more, one, two }) => ({ ...root, ...more, type: "object", $defs: { one, two } }));
