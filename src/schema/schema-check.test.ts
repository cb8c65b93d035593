import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { publishSchema } from "./publish-schema.ts";
import { checkSchema, createMetaSchemas, MAX_SCHEMA_NODES } from "./schema-check.ts";
import { compileValidator } from "./validator.ts";

const metaSchemas = createMetaSchemas();

function issues(schema: JsonValue, root: "object" | "any" = "object"): readonly string[] {
  return checkSchema(schema, { metaSchemas, root }).map(({ pointer, message }) => `${pointer} ${message}`);
}

/** Arrays in each other, `depth` containers in all. */
function nested(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

test("a wrong type is told with its path and the type JSON Schema has", () => {
  expect(issues({ type: "object", properties: { days: { type: "int" } } })).toEqual([
    '/properties/days/type "parameters.properties.days.type" is "int"; JSON Schema has "integer".',
  ]);
});

test("a misspelled type gets the nearest one", () => {
  expect(issues({ properties: { a: { type: "strng" } } })).toEqual([
    '/properties/a/type "parameters.properties.a.type" is "strng"; JSON Schema has "string".',
  ]);
});

test.each([
  [{ type: "array" }, '/type "parameters.type" is "array"; arguments are an object, so it must be "object".'],
  [{ type: ["string", "null"] }, '/type "parameters.type" is ["string","null"]; arguments are an object, so it must be "object".'],
  ["text", ' "parameters" must be a JSON Schema, an object; found "text".'],
  [true, ' "parameters" must be a JSON Schema, an object; found true.'],
])("a root that describes no object is refused: %j", (schema, issue) => {
  expect(issues(schema)).toEqual([issue]);
});

test("the schema of a result may describe anything", () => {
  expect(issues({ type: "array" }, "any")).toEqual([]);
  expect(issues(true, "any")).toEqual([]);
});

test.each([
  ["http://json-schema.org/draft-04/schema#", { id: "x", properties: { a: { minimum: 1, exclusiveMinimum: true } } }],
  ["http://json-schema.org/draft-06/schema#", { properties: { a: { const: 1, exclusiveMinimum: 1 } } }],
  ["http://json-schema.org/draft-07/schema", { if: { required: ["a"] }, else: { required: ["b"] } }],
  ["https://json-schema.org/draft/2019-09/schema", { dependentRequired: { a: ["b"] }, $recursiveAnchor: true }],
  ["https://json-schema.org/draft/2020-12/schema", { properties: { a: { prefixItems: [true] } } }],
])("a schema of the dialect %s is accepted", (dialect, schema) => {
  expect(issues({ $schema: dialect, ...schema })).toEqual([]);
});

test("a keyword is judged by the dialect the schema names", () => {
  const draft04 = { $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { minimum: 1, exclusiveMinimum: true } } };
  expect(issues(draft04)).toEqual([
    '/properties/a/exclusiveMinimum "parameters.properties.a.exclusiveMinimum" must be number; found true.',
  ]);
});

test("an unknown dialect is refused with the known ones", () => {
  expect(issues({ $schema: "https://example.com/my-dialect" })).toEqual([
    '/$schema "parameters.$schema" is "https://example.com/my-dialect"; supported are draft-04, draft-06, draft-07, 2019-09, 2020-12.',
  ]);
});

test.each(["http://example.com/schema.json", "other.json#/a", "file:///etc/passwd"])(
  "a reference to %s is refused, and nothing is fetched",
  (reference) => {
    expect(checkSchema({ properties: { a: { $ref: reference } } }, { metaSchemas }).map(({ pointer }) => pointer)).toEqual([
      "/properties/a/$ref",
    ]);
  },
);

test("a reference to nothing is refused", () => {
  expect(issues({ properties: { a: { $ref: "#/$defs/place" } } })).toEqual([
    '/properties/a/$ref "parameters.properties.a.$ref" is "#/$defs/place", which is not in the schema.',
  ]);
});

test("local references, anchors and recursion through properties are accepted", () => {
  expect(
    issues({
      properties: { a: { $ref: "#/$defs/a~1b" }, b: { $ref: "#spot" }, c: { $ref: "#" }, d: { $ref: "#/components/x" } },
      $defs: { "a/b": { type: "string" }, spot: { $anchor: "spot", type: "number" } },
      components: { x: { type: "integer" } },
    }),
  ).toEqual([]);
});

test("a property that is named $ref is no reference", () => {
  expect(issues({ properties: { $ref: { type: "string" } } })).toEqual([]);
});

test("a pointer is resolved inside the nearest schema with an identifier of its own", () => {
  const inner = { $id: "https://example.com/inner", $defs: { x: { type: "string" } }, properties: { a: { $ref: "#/$defs/x" } } };
  expect(issues({ properties: { inner } })).toEqual([]);
  expect(issues({ $defs: { x: true }, properties: { inner: { ...inner, $defs: {} } } })).toHaveLength(1);
});

test.each([
  [{ $ref: "#" }],
  [{ allOf: [{ $ref: "#" }] }],
  [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } }],
])("a schema that leads back to itself without reaching a value is refused: %j", (schema) => {
  const found = checkSchema(schema, { metaSchemas });
  expect(found).toHaveLength(1);
  expect(found[0]?.message).toContain("without ever reaching a value");
});

test("a pattern that is no regular expression, or too long, is refused with its place", () => {
  expect(
    checkSchema({ properties: { a: { pattern: "(" } }, patternProperties: { "[": true } }, { metaSchemas }).map(({ pointer }) => pointer),
  ).toEqual(["/patternProperties/[", "/properties/a/pattern"]);
  expect(issues({ properties: { a: { pattern: "a".repeat(1_001) } } })).toHaveLength(1);
  expect(issues({ properties: { a: { pattern: "a".repeat(1_000) } } })).toEqual([]);
});

test("a pattern that only reads without Unicode mode is accepted", () => {
  expect(issues({ properties: { a: { pattern: "^[\\w\\-]+$" } } })).toEqual([]);
});

test("the key __proto__ is refused at any depth, with its place", () => {
  const schema: JsonObject = JSON.parse('{"properties":{"a":{"properties":{"__proto__":{"type":"string"}}}}}');
  expect(checkSchema(schema, { metaSchemas })).toEqual([
    {
      pointer: "/properties/a/properties/__proto__",
      message: '"parameters.properties.a.properties.__proto__" is not allowed: "__proto__" cannot be a key. Rename it.',
    },
  ]);
});

test.each(["constructor", "prototype", "toString", "hasOwnProperty", "valueOf"])("a parameter may be named %s", (key) => {
  expect(issues({ properties: { [key]: { type: "string" }, a: { properties: { [key]: {} }, required: [key] } } })).toEqual([]);
});

test("nesting is accepted up to the limit and refused one level beyond", () => {
  expect(issues({ properties: { a: { default: nested(29) } } })).toEqual([]);
  expect(issues({ properties: { a: { default: nested(30) } } })).toHaveLength(1);
});

test("nesting of twenty thousand levels is refused without exhausting the stack", () => {
  const text = `{"default":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  expect(checkSchema(JSON.parse(text), { metaSchemas })).toHaveLength(1);
});

test("the number of values has a limit", () => {
  const withValues = (count: number): JsonObject => ({
    properties: Object.fromEntries(Array.from({ length: count - 2 }, (_, index) => [`p${index}`, true])),
  });
  expect(issues(withValues(MAX_SCHEMA_NODES))).toEqual([]);
  expect(issues(withValues(MAX_SCHEMA_NODES + 1))).toHaveLength(1);
});

test.each([
  "http://json-schema.org/draft-04/schema#",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2020-12/schema",
])("a list of ten thousand values is accepted at once, whatever %s has to say of equal ones", ($schema) => {
  const values = Array.from({ length: 10_000 }, (_, index) => `value ${index % 9_999}`);
  const schema = { $schema, type: "object", properties: { a: { enum: values } } };
  metaSchemas.get("draft-04");
  metaSchemas.get("draft-07");
  const started = performance.now();
  expect(checkSchema(schema, { metaSchemas })).toEqual([]);
  // Each compared with each takes seconds.
  expect(performance.now() - started).toBeLessThan(1_000);
});

test.each(["anyOf", "oneOf"])("more than five hundred alternatives of %s are refused with their place", (keyword) => {
  const withBranches = (count: number): JsonObject => ({
    properties: { a: { [keyword]: Array.from({ length: count }, (_, index) => ({ const: index })) } },
  });
  expect(issues(withBranches(500))).toEqual([]);
  expect(compileValidator(withBranches(500)).validate({ a: 499 }).ok).toBe(true);
  expect(issues(withBranches(501))).toEqual([
    `/properties/a/${keyword} "parameters.properties.a.${keyword}" has 501 alternatives; at most 500 are read. Name plain values in an "enum".`,
  ]);
});

test("the size has a limit, with its name in the message", () => {
  expect(checkSchema({ description: "x".repeat(100) }, { metaSchemas, maxBytes: 118 })).toEqual([]);
  expect(checkSchema({ description: "x".repeat(100) }, { metaSchemas, maxBytes: 117 })).toEqual([
    { pointer: "", message: '"parameters" takes 118 bytes; at most 117 are read (limit "schemaBytes").' },
  ]);
});

test("an empty list of values and a repeated value are accepted, also where the meta-schema advises against them", () => {
  const $schema = "http://json-schema.org/draft-04/schema#";
  const property = { items: { type: "array", items: { enum: ["a", "a"] } }, none: { enum: [] } };
  expect(issues({ $schema, properties: { a: { type: "object", properties: property } } })).toEqual([]);
});

test("an object among several types is enough for arguments", () => {
  expect(issues({ type: ["object", "null"] })).toEqual([]);
});

test("forms of older dialects are understood where no dialect is named", () => {
  expect(issues({ properties: { a: { minimum: 1, exclusiveMinimum: true }, b: { items: [true, { type: "int" }] } } })).toEqual([
    '/properties/b/prefixItems/1/type "parameters.properties.b.prefixItems.1.type" is "int"; JSON Schema has "integer".',
  ]);
});

test("a pattern that takes no fixed time is a warning, the schema is used all the same", () => {
  expect(checkSchema({ properties: { a: { pattern: "^(?!x)" }, b: { pattern: "^x" } } }, { metaSchemas })).toEqual([
    {
      severity: "warning",
      pointer: "/properties/a/pattern",
      message:
        '"parameters.properties.a.pattern" uses look-around, which takes no fixed time: it is tried on at most 10000 characters and for at most 250 ms.',
    },
  ]);
});

test("a reference by the address of the schema or of a part of it is local", () => {
  const $id = "https://example.com/tool.json";
  const part = { $id: "part.json", type: "string" };
  expect(issues({ $id, properties: { a: { $ref: `${$id}#/$defs/part` }, b: { $ref: "part.json" } }, $defs: { part } })).toEqual([]);
});

test("a keyword of a later dialect is told, since it is neither checked nor published", () => {
  const $schema = "http://json-schema.org/draft-04/schema#";
  const schema = { $schema, properties: { a: { const: 1 }, b: { if: "no schema" }, const: {} } };
  expect(checkSchema(schema, { metaSchemas }).map(({ pointer, severity, about }) => [pointer, severity, about])).toEqual([
    ["/properties/b/if", "warning", "keyword"],
    ["/properties/a/const", "warning", "keyword"],
  ]);
  expect(compileValidator(schema).validate({ a: 2, b: 2 }).ok).toBe(true);
  expect(publishSchema(schema).published).toEqual({ type: "object", properties: { a: {}, b: {}, const: {} } });
});
