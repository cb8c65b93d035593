import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { argumentsMessage } from "./arguments-message.ts";
import { cachedValidator, compileValidator, type Validator } from "./validator.ts";

function message(schema: JsonObject, value: JsonValue): string {
  const outcome = compileValidator(schema).validate(value);
  return outcome.ok ? "fits" : argumentsMessage("csv-query", outcome);
}

const query: JsonObject = {
  type: "object",
  properties: {
    column: { type: "string" },
    where: { type: "object", properties: { column: { enum: ["name", "amount", "date"] } } },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
  },
  additionalProperties: false,
};

test("wrong arguments are told one line a field, in the words of the schema", () => {
  expect(message(query, { where: { column: "Amount" }, limit: "ten", colum: 1 })).toBe(
    [
      "Arguments of csv-query do not fit:",
      '- colum: not a parameter; did you mean "column"?',
      '- where.column: expected one of "name", "amount", "date"; found "Amount"',
      '- limit: expected an integer from 1 to 100; found "ten"',
    ].join("\n"),
  );
});

test("issues carry path, expectation, finding, allowed values and the nearest name for machines", () => {
  expect(compileValidator(query).validate({ where: { column: "Amount" }, colum: 1 })).toEqual({
    ok: false,
    issues: [
      { path: "colum", kind: "unknown", expected: "no such key", found: "1", suggestion: "column" },
      {
        path: "where.column",
        kind: "value",
        expected: 'one of "name", "amount", "date"',
        found: '"Amount"',
        allowed: ["name", "amount", "date"],
      },
    ],
  });
});

test("defaults are filled into a copy and the caller's value stays as it was", () => {
  const given = { column: "a" };
  expect(compileValidator(query).validate(given)).toEqual({ ok: true, value: { column: "a", limit: 10 } });
  expect(given).toEqual({ column: "a" });
});

test("defaults that are objects are not shared between calls", () => {
  const validator = compileValidator({ properties: { list: { default: [] } } });
  const lists = [validator.validate({}), validator.validate({})].map(
    (outcome) => outcome.ok && isJsonObject(outcome.value) && outcome.value.list,
  );
  expect(lists).toEqual([[], []]);
  expect(lists[0]).not.toBe(lists[1]);
});

test("without defaults the value itself comes back", () => {
  const value = { a: 1 };
  const outcome = compileValidator({ properties: { b: { default: 1 } } }, { applyDefaults: false }).validate(value);
  expect(outcome.ok && outcome.value === value).toBe(true);
});

test.each<[JsonObject, JsonValue, string]>([
  [
    { required: ["a"], properties: { a: { type: "string", minLength: 2 } } },
    {},
    "- a: missing; expected a string of at least 2 characters",
  ],
  [{ properties: { a: { type: "array", minItems: 2 } } }, { a: [1] }, "- a: expected an array of at least 2 items; found [1]"],
  [{ properties: { a: { items: { type: "number" } } } }, { a: [1, "x"] }, '- a[1]: expected a number; found "x"'],
  [{ properties: { a: { pattern: "^b$" } } }, { a: "c" }, '- a: expected a value matching ^b$; found "c"'],
  [{ properties: { a: { type: "string", format: "email" } } }, { a: "c" }, '- a: expected a string in the form "email"; found "c"'],
  [{ properties: { a: { const: 5 } } }, { a: 6 }, "- a: expected 5; found 6"],
  [{ properties: { a: { type: ["integer", "null"] } } }, { a: true }, "- a: expected an integer or null; found true"],
  [{ properties: { a: { type: "number", exclusiveMinimum: 0 } } }, { a: 0 }, "- a: expected a number above 0; found 0"],
  [{ properties: { a: { type: "number", multipleOf: 5 } } }, { a: 3 }, "- a: expected a number that is a multiple of 5; found 3"],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }, '- b: missing; expected any value, because "a" is given'],
  [{ propertyNames: { pattern: "^x" } }, { y: 1 }, '- the arguments: expected keys that are a value matching ^x; found "y"'],
  [{ not: { required: ["a"] } }, { a: 1 }, '- the arguments: expected anything but an object with "a"; found {"a":1}'],
  [{ properties: { "odd key": { type: "string" } } }, { "odd key": 1 }, '- ["odd key"]: expected a string; found 1'],
  [{ properties: { a: false } }, { a: 1 }, "- a: expected nothing here; found 1"],
  [{ type: "object" }, [], "- the arguments: expected an object; found []"],
])("schema %j with %j", (schema, value, line) => {
  expect(message(schema, value)).toBe(`Arguments of csv-query do not fit:\n${line}`);
});

test("of alternatives only the one the value takes after is told", () => {
  const schema: JsonObject = {
    properties: {
      shape: {
        anyOf: [
          { type: "object", properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
          { $ref: "#/$defs/square" },
        ],
      },
    },
    $defs: { square: { type: "object", properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind", "side"] } },
  };
  expect(message(schema, { shape: { kind: "square", side: "x" } })).toBe(
    'Arguments of csv-query do not fit:\n- shape.side: expected a number; found "x"',
  );
});

test("of alternatives that one field tells apart, the field is told with the values of all of them", () => {
  const schema: JsonObject = {
    properties: {
      shape: {
        anyOf: [
          { type: "object", properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
          { $ref: "#/$defs/edged" },
          { type: "null" },
        ],
      },
    },
    $defs: { edged: { type: "object", properties: { kind: { enum: ["square", "cube"] } }, required: ["kind"] } },
  };
  const expected = 'one of "circle", "square", "cube"';
  const allowed = ["circle", "square", "cube"];
  const issuesOf = (shape: JsonValue): unknown => compileValidator(schema).validate({ shape });
  const missing = { ok: false, issues: [{ path: "shape.kind", kind: "missing", expected, found: "nothing", allowed }] };
  expect(issuesOf({})).toEqual(missing);
  expect(issuesOf({ radius: 1 })).toEqual(missing);
  expect(issuesOf({ kind: "ball" })).toEqual({
    ok: false,
    issues: [{ path: "shape.kind", kind: "value", expected, found: '"ball"', allowed }],
  });
});

test("where more than one alternative fits and only one may, nobody is told to give what the others lack", () => {
  const schema = { oneOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }] };
  expect(message(schema, { b: 1, c: 1 })).toBe(
    'Arguments of csv-query do not fit:\n- the arguments: expected exactly one of an object with "a" or an object with "b" or an object with "c"; found {"b":1,"c":1}',
  );
});

test("alternatives that are all of another form are told as one", () => {
  const schema = { properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] } } };
  expect(message(schema, { a: true })).toBe("Arguments of csv-query do not fit:\n- a: expected a string or an integer; found true");
});

test.each<[string, JsonObject]>([
  ["2020-12", { items: { contains: { type: "string" } } }],
  ["2020-12 with a count", { items: { contains: { type: "string" }, minContains: 1 } }],
  ["draft-07", { $schema: "http://json-schema.org/draft-07/schema#", items: { contains: { type: "string" } } }],
])("in %s an empty list has nothing that it must contain, whatever the list before it has", (_dialect, schema) => {
  const validator = compileValidator({ ...schema, type: "array" });
  expect([[], [["x"]], [["x"], []], [["x"], [1]], [[], ["x"]]].map((value) => validator.validate(value).ok)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

/** If "a" is given, `rule` holds. */
function ifGiven(rule: JsonObject): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: { required: ["a"] }, then: rule };
}

const patterns = { patternProperties: { "^x-": { type: "integer" } } };

test.each<[string, JsonObject]>([
  ["a condition", { ...patterns, ...ifGiven({ patternProperties: { "^b": { type: "integer" } } }) }],
  ["a condition and unevaluatedProperties", { ...patterns, ...ifGiven({ properties: { b: {} } }), unevaluatedProperties: false }],
  ["alternatives", { ...patterns, anyOf: [{ required: ["a"], additionalProperties: true }, {}], unevaluatedProperties: false }],
  [
    "a reference and unevaluatedProperties",
    { ...patterns, $ref: "#/$defs/c", $defs: { c: ifGiven({ properties: { b: {} } }) }, unevaluatedProperties: false },
  ],
])("keys by pattern are checked beside %s that does not hold", (_beside, schema) => {
  const validator = compileValidator(schema);
  expect([{ "x-1": 1 }, { "x-1": "text" }, {}].map((value) => validator.validate(value).ok)).toEqual([true, false, true]);
  expect(message(schema, { "x-1": "text" })).toBe('Arguments of csv-query do not fit:\n- x-1: expected an integer; found "text"');
});

const INHERITED = ["constructor", "toString", "valueOf", "hasOwnProperty"] as const;

test.each(INHERITED)("a required parameter %s is missing although every object inherits one", (name) => {
  expect(message({ required: [name] }, {})).toBe(`Arguments of csv-query do not fit:\n- ${name}: missing; expected any value`);
});

test.each(INHERITED)("an argument %s is checked as any other, and is an own key of what comes out", (name) => {
  const schema = { properties: { [name]: { type: "integer" } }, additionalProperties: false };
  const outcome = compileValidator(schema).validate({ [name]: 1 });
  expect(outcome.ok && JSON.stringify(outcome.value)).toBe(`{"${name}":1}`);
  expect(message(schema, { [name]: "x" })).toBe(`Arguments of csv-query do not fit:\n- ${name}: expected an integer; found "x"`);
  expect(compileValidator(schema).validate({}).ok).toBe(true);
});

test("an argument named __proto__ is refused at any depth", () => {
  const value: JsonValue = JSON.parse('{"a":[{"__proto__":{"polluted":true}}]}');
  const outcome = compileValidator({ type: "object" }).validate(value);
  expect(outcome).toEqual({
    ok: false,
    issues: [{ path: "a[0].__proto__", kind: "value", expected: "another name for this key", found: "what cannot be passed on" }],
  });
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("an unknown argument that is near to none is told with those that are known and not given", () => {
  const schema = { properties: { city: { type: "string" }, days: {}, unit: {} }, additionalProperties: false };
  expect(message(schema, { city: "Rome", temperature: 1 })).toBe(
    'Arguments of csv-query do not fit:\n- temperature: not a parameter; known are "days", "unit"',
  );
});

test("an unknown argument is not taken for an inherited one", () => {
  expect(message({ properties: {}, additionalProperties: false }, { valueOf: 1 })).toBe(
    "Arguments of csv-query do not fit:\n- valueOf: not a parameter",
  );
});

test("arguments nested without end are refused, not a crash", () => {
  let deep: JsonValue = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(compileValidator({ $ref: "#/$defs/a", $defs: { a: { properties: { a: { $ref: "#/$defs/a" } } } } }).validate({ deep }).ok).toBe(
    false,
  );
});

test("a comparison that throws is an issue, not a crash", () => {
  const outcome = compileValidator({ properties: { a: { enum: [{ valueOf: 2 }] } } }).validate({ a: { valueOf: 1 } });
  expect(outcome.ok).toBe(false);
});

test("two schemas of the same identifier do not meet", () => {
  const first = compileValidator({ $id: "https://example.com/a", properties: { a: { type: "string" } } });
  const second = compileValidator({ $id: "https://example.com/a", properties: { a: { type: "number" } } });
  expect(first.validate({ a: "x" }).ok).toBe(true);
  expect(second.validate({ a: "x" }).ok).toBe(false);
});

test.each([
  ["http://json-schema.org/draft-04/schema#", { minimum: 1, exclusiveMinimum: true }, 1, 2],
  ["http://json-schema.org/draft-06/schema#", { exclusiveMinimum: 1 }, 1, 2],
  ["http://json-schema.org/draft-07/schema#", { if: { type: "string" }, else: { const: 3 } }, 4, "text"],
  ["https://json-schema.org/draft/2019-09/schema", { items: [{ type: "string" }] }, [1], ["a"]],
  ["https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "string" }] }, [1], ["a"]],
])("a value is checked by the dialect %s", ($schema, field, wrong, right) => {
  const validator = compileValidator({ $schema, properties: { a: field } });
  expect([validator.validate({ a: wrong }).ok, validator.validate({ a: right }).ok]).toEqual([false, true]);
});

test("OpenAPI's nullable neither breaks a schema without type nor is lost in one with it", () => {
  const validator = compileValidator({ properties: { a: { type: "string", nullable: true }, b: { enum: [1], nullable: true } } });
  expect([validator.validate({ a: null }).ok, validator.validate({ b: 1 }).ok, validator.validate({ b: 2 }).ok]).toEqual([
    true,
    true,
    false,
  ]);
});

test("values in a message are cut to sixty characters", () => {
  const text = message({ properties: { a: { type: "number" } } }, { a: "x".repeat(1_000) });
  expect(text).toBe(`Arguments of csv-query do not fit:\n- a: expected a number; found "${"x".repeat(59)}…`);
});

test("a message tells twenty fields at most", () => {
  const value = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`k${index}`, 1]));
  expect(message({ additionalProperties: false }, value).split("\n").at(-1)).toBe("- and 5 more");
});

test("a schema object is compiled once for one cache", () => {
  const cache = new WeakMap<JsonObject, Validator>();
  expect(cachedValidator(cache, query)).toBe(cachedValidator(cache, query));
});
