import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { repairValue } from "./repair-value.ts";
import { createSchemaIndex } from "./schema-index.ts";

test("up to draft-07 what stands beside a reference does not count, later it does", () => {
  const schema: JsonObject = {
    properties: { x: { type: "integer", $ref: "#/definitions/any" }, n: { $ref: "#/definitions/n", type: "string" } },
    definitions: { any: {}, n: { type: "integer" } },
  };
  const read = (root: JsonObject): unknown => repairValue(root, { x: "5", n: "6" }, createSchemaIndex(root)).value;
  expect(read({ $schema: "http://json-schema.org/draft-07/schema#", ...schema })).toEqual({ x: "5", n: 6 });
  expect(read({ $schema: "https://json-schema.org/draft/2019-09/schema", ...schema })).toEqual({ x: 5, n: "6" });
});

test("what may or may not hold for a value says nothing: conditions, negations, contained elements and patterns of keys", () => {
  const conditional: JsonValue = JSON.parse('{"if":{"type":"string"},"then":{"type":"integer"}}');
  const schema: JsonObject = {
    properties: {
      a: { not: { type: "string" } },
      b: conditional,
      c: { contains: { type: "integer" } },
      d: { patternProperties: { "^n": { type: "integer" } }, additionalProperties: { type: "integer" } },
    },
  };
  const value = { a: "1", b: "1", c: ["1"], d: { n1: "1", other: "1" } };
  expect(repairValue(schema, value, createSchemaIndex(schema))).toEqual({ value, repaired: [] });
});

test("a schema that holds because a key is given is followed", () => {
  const schema: JsonObject = { dependentSchemas: { unit: { properties: { n: { type: "integer" } } } } };
  const index = createSchemaIndex(schema);
  expect(repairValue(schema, { unit: "m", n: "1" }, index).value).toEqual({ unit: "m", n: 1 });
  expect(repairValue(schema, { n: "1" }, index).value).toEqual({ n: "1" });
});
