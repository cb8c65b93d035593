import fc from "fast-check";
import { expect, test } from "vitest";
import { anySchema } from "../../test/schema/arbitrary-schemas.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isPublishedForm } from "./publish/already.ts";
import { publishOutput, publishSchema, publishWhole } from "./publish-schema.ts";
import { compileValidator } from "./validator.ts";

function published(schema: JsonObject): JsonObject {
  return publishSchema(schema).published;
}

test("a schema without type and properties is published with both", () => {
  expect(published({})).toEqual({ type: "object", properties: {} });
});

test("dialect and identifier are not published, the rest is as written", () => {
  const properties = { id: { type: "string" } };
  const $schema = "http://json-schema.org/draft-07/schema#";
  expect(published({ $schema, $id: "https://example.com/x", id: "y", properties, required: ["id"] })).toEqual({
    type: "object",
    properties,
    required: ["id"],
  });
});

test("a plain schema is published as the very same object", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
  expect(publishSchema(schema).published).toBe(schema);
});

test("the short cut for plain schemas gives what the long way gives", () => {
  const types = fc.constantFrom<JsonObject[]>(
    { type: "string", pattern: "^a" },
    { type: "array", items: {} },
    { type: "number", enum: [1] },
    { enum: [1, "a"] },
    { type: "integer" },
  );
  const plain = fc.dictionary(fc.constantFrom("a", "b", "c"), types).map((properties): JsonObject => ({ type: "object", properties }));
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(plain, anySchema), (schema) => {
      if (!isPublishedForm(schema)) return;
      taken++;
      expect(JSON.stringify(publishWhole(schema).published)).toBe(JSON.stringify(schema));
      expect(publishWhole(schema).notes).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect(taken).toBeGreaterThan(30);
});

/** Each definition has the next one twice. */
function doubling(steps: number): JsonObject {
  const name = (step: number): string => `d${step}`;
  const definition = (step: number): JsonValue => {
    const next = { $ref: `#/$defs/${name(step + 1)}` };
    return step === steps ? { type: "string" } : { type: "object", properties: { x: next, y: next } };
  };
  const $defs = Object.fromEntries(Array.from({ length: steps + 1 }, (_, step) => [name(step), definition(step)]));
  return { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs };
}

test("references that double at each step are written out as far as the size allows, and no further", () => {
  expect(publishSchema(doubling(5)).notes.some(({ kind }) => kind === "bounded")).toBe(false);
  const large = publishSchema(doubling(25));
  expect(JSON.stringify(large.published).length).toBeLessThan(65_536);
  expect(large.notes.some((note) => note.kind === "bounded" && note.reason === "size")).toBe(true);
});

test("a schema that leads back to itself at once ends all the same", () => {
  expect(published({ allOf: [{ $ref: "#" }] })).toMatchObject({ type: "object" });
});

test("a schema of results whose keys model services refuse is not published at all, and keys of results stay", () => {
  expect(publishOutput({ type: "object", properties: { "@odata.count": { type: "integer" } } }).published).toBeUndefined();
});

test("a schema of results whose root is no object stays one", () => {
  expect(publishOutput({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "array" }).published).toEqual({
    type: "array",
    items: {},
  });
});

test("an argument under its published name and its own name at once is refused with both names", () => {
  const { rename } = publishSchema({ properties: { o: { type: "object", properties: { "uids[]": {} } } } });
  expect(rename.restore({ o: { uids: 1, "uids[]": 2 } })).toEqual({ ok: false, path: "o.uids", published: "uids", original: "uids[]" });
  expect(rename.restore({ o: { uids: 1 } })).toEqual({ ok: true, value: { o: { "uids[]": 1 } } });
  expect(rename.restore({ o: { "uids[]": 1 } })).toEqual({ ok: true, value: { o: { "uids[]": 1 } } });
});

test("keys of free maps keep their names, though another place has a key of that published name", () => {
  const properties = { $top: { type: "integer" }, labels: { type: "object", additionalProperties: { type: "string" } } };
  const { rename } = publishSchema({ properties });
  expect(rename.restore({ top: 1, labels: { top: "x" } })).toEqual({ ok: true, value: { $top: 1, labels: { top: "x" } } });
});

test("arguments nested without end are left to the check that refuses them", () => {
  const { rename } = publishSchema({ properties: { $a: { $ref: "#" } } });
  let deep: JsonValue = 1;
  for (let level = 0; level < 100_000; level++) deep = { a: deep };
  expect(rename.restore(deep).ok).toBe(true);
});

test("up to draft-07 a type beside a reference counts nowhere, not even where the reference is not followed any further", () => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { x: { type: "object", $ref: "#/definitions/tree" } },
    definitions: {
      tree: { type: "object", $ref: "#/definitions/item" },
      item: { type: ["array", "number"], items: { $ref: "#/definitions/tree" } },
    },
  };
  const value = { x: [[[[[[1]]]]]] };
  expect(compileValidator(schema).validate(value)).toEqual({ ok: true, value });
  expect(compileValidator(publishSchema(schema).published).validate(value)).toEqual({ ok: true, value });
});

test("what a reference looks at that is not followed any further is not refused as a key that nothing looked at", () => {
  const schema = { type: "object", properties: { c: { $ref: "#", unevaluatedProperties: false } } };
  const value = { c: { c: { c: { c: { c: {} } } } } };
  expect(compileValidator(schema).validate(value)).toEqual({ ok: true, value });
  expect(compileValidator(publishSchema(schema).published).validate(value)).toEqual({ ok: true, value });
  expect(compileValidator(publishSchema(schema).published).validate({ c: { d: 1 } }).ok).toBe(false);
});

test("a fixed value is a sentence where its key has another name only by a rule that is not published", () => {
  const { published: clients, rename } = publishSchema({ properties: { x: { not: { properties: { $c: false } }, const: { $c: 1 } } } });
  expect(clients.properties).toEqual({ x: { description: 'The whole is {"$c":1}.' } });
  expect(compileValidator(clients).validate(rename.publish({ x: { $c: 1 } })).ok).toBe(true);
});

test("a required key that no property names becomes a property that says what was said of it, since Gemini refuses the whole list otherwise", () => {
  const inner = { type: "object", required: ["x"], additionalProperties: { type: "integer" } };
  const refused = { type: "object", properties: {}, required: ["x"], additionalProperties: false };
  expect(published({ properties: { a: inner, b: refused }, required: ["a", "c"] })).toEqual({
    type: "object",
    properties: { a: { ...inner, properties: { x: { type: "integer" } } }, b: refused, c: {} },
    required: ["a", "c"],
  });
  expect(publishSchema({ type: "object", properties: {}, required: ["a"] }).published.properties).toEqual({ a: {} });
});

test("every renamed key says its own name, also one that only a list of required keys names", () => {
  const rules = { anyOf: [{ required: ["$top"], properties: { $top: { type: "integer", description: "Some." } } }, { required: ["a b"] }] };
  expect(published({ properties: { "uids[]": { type: "string" } }, required: ["größe"], ...rules }).properties).toEqual({
    uids: { type: "string", description: 'This is "uids[]".' },
    grosse: { description: 'This is "größe".' },
    top: {
      description: 'Some. This is "$top".',
      anyOf: [{ type: "integer", description: 'Some. This is "$top".' }, {}],
    },
  });
});

test("fixed values of one type say that type, others do not", () => {
  const properties = { a: { enum: ["x", "y"] }, b: { const: 1 }, c: { enum: ["x", 1] }, d: { enum: [{ k: 1 }] } };
  expect(published({ properties }).properties).toEqual({
    a: { type: "string", enum: ["x", "y"] },
    b: { type: "number", const: 1 },
    c: { enum: ["x", 1] },
    d: { type: "object", enum: [{ k: 1 }], properties: {} },
  });
});

test("where nothing fits, what else would have to fit is left out, so that publishing twice is the same", () => {
  const none = { not: {} };
  const $schema = "http://json-schema.org/draft-04/schema#";
  const once = published({
    $schema,
    properties: { a: { type: "null", allOf: [{ anyOf: [none, { type: "object" }, {}], type: "null" }, none] } },
  });
  expect(once.properties).toEqual({ a: { type: "null", not: {} } });
  expect(published(once)).toEqual(once);
});

test("what alternatives at the root say together of one key is published as it would be when published again", () => {
  const b = { type: "object", additionalProperties: { type: "integer" } };
  const anyOf = [{ properties: { b }, required: ["b"] }, { properties: { b } }];
  const once = published({ properties: { b: { required: ["a"] } }, anyOf });
  expect(once.properties).toEqual({ b: { ...b, required: ["a"], properties: { a: { type: "integer" } } } });
  expect(JSON.stringify(published(once))).toBe(JSON.stringify(once));
});

test("a schema of results that names the key refused at the top further down too is not published, since results are renamed at the top only", () => {
  const properties = { constructor: { type: "string" } };
  expect(publishOutput({ type: "object", properties }).published).toMatchObject({ properties: { constructor_2: { type: "string" } } });
  expect(publishOutput({ type: "object", properties: { ...properties, next: { $ref: "#" } } })).toEqual({
    notes: [
      { kind: "inlined", pointer: "/properties/next", reference: "#" },
      { kind: "inlined", pointer: "/properties/next/properties/next", reference: "#" },
      { kind: "bounded", pointer: "/properties/next/properties/next/properties/next", reference: "#", reason: "recursion" },
      { kind: "renamed", from: "constructor", to: "constructor_2" },
    ],
  });
});
