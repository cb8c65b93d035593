import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { argumentsMessage } from "../arguments-message.ts";
import { compileValidator, type Validator } from "../validator.ts";
import { createArgumentReader } from "./argument-reader.ts";

function read(schema: JsonObject, given: JsonObject, repair = true): unknown {
  const reader = createArgumentReader(schema, { validator: compileValidator(schema, { applyDefaults: false }) });
  const outcome = reader.read(given, { repair });
  if (!outcome.ok) return argumentsMessage("tool", outcome);
  return outcome.repaired.length === 0 ? outcome.value : [outcome.value, ...outcome.repaired.map(({ path, to }) => `${path} as ${to}`)];
}

/** What becomes of one argument `x` with this schema. */
function readOne(schema: JsonValue, x: JsonValue): unknown {
  const outer: JsonObject = { type: "object", properties: { x: schema } };
  const reader = createArgumentReader(outer, { validator: compileValidator(outer, { applyDefaults: false }) });
  const outcome = reader.read({ x }, { repair: true });
  return outcome.ok ? outcome.value.x : "refused";
}

test.each<[string, JsonValue]>([
  ["12345", 12345],
  ["-7", -7],
  ["0", 0],
  ["3.7", "refused"],
  ["abc", "refused"],
  ["", "refused"],
  [" 1", "refused"],
  ["1 ", "refused"],
  ["01", "refused"],
  ["+1", "refused"],
  ["-0", "refused"],
  ["0x1", "refused"],
  ["1_000", "refused"],
  ["1.0", "refused"],
  ["1e3", "refused"],
  ["1e400", "refused"],
  ["9007199254740993", "refused"],
  ["١", "refused"],
  ["true", "refused"],
  ["null", "refused"],
  ["[1]", "refused"],
])("the text %j where only a whole number is allowed is read as %j", (text, value) => {
  expect(readOne({ type: "integer" }, text)).toBe(value);
});

test.each<[JsonValue, string, JsonValue]>([
  [{ type: "number" }, "0.1", 0.1],
  [{ type: "number" }, "-2.5", -2.5],
  [{ type: "number" }, "0.10", "refused"],
  [{ type: "number" }, "NaN", "refused"],
  [{ type: "number" }, "Infinity", "refused"],
  [{ type: "boolean" }, "true", true],
  [{ type: "boolean" }, "false", false],
  [{ type: "boolean" }, "True", "refused"],
  [{ type: "boolean" }, "1", "refused"],
  [{ type: ["integer", "null"] }, "5", 5],
  [{ type: ["integer", "null"] }, "null", null],
  [{ type: "integer", nullable: true }, "null", null],
  [{ enum: [1, 2, 3] }, "2", 2],
  [{ enum: [1, 2, 3] }, "4", "refused"],
  [{ const: false }, "false", false],
  [{ type: "integer", minimum: 10 }, "5", "refused"],
  [{ allOf: [{ type: ["string", "integer"] }, { type: "integer" }] }, "5", 5],
  [{ anyOf: [{ type: "integer" }, { type: "boolean" }] }, "true", true],
  [{ oneOf: [{ type: "object" }, { type: "null" }] }, '{"a":1}', { a: 1 }],
  [{ type: "object" }, '{"a":1', "refused"],
  [{ type: "object" }, "[1]", "refused"],
  [{ type: "array" }, "[1, 2]", [1, 2]],
  [{ type: "array", items: { type: "integer" } }, '["1","2"]', [1, 2]],
  [{ type: "array", items: { type: "integer" } }, '["1","b"]', "refused"],
  [{ type: "array" }, "1,2", "refused"],
  [{ anyOf: [{ type: "object", properties: { n: { type: "integer" } } }, { type: "null" }] }, '{"n":"5"}', { n: 5 }],
  [{ type: "object" }, '{"id":12345678901234567890}', "refused"],
  [{ type: "object" }, '{"id":9007199254740992}', { id: 9007199254740992 }],
  [{ type: "object" }, '{"a":1,"a":2}', "refused"],
  [{ type: "object" }, '{"a":"x:y","b":{"c":["d:e"]}}', { a: "x:y", b: { c: ["d:e"] } }],
  [{ type: "object" }, '{"__proto__":{"admin":true}}', "refused"],
])("by %j the text %j is read as %j", (schema, text, value) => {
  expect(readOne(schema, text)).toEqual(value);
});

test("a text that looks like a number or JSON stays a text wherever the schema takes text", () => {
  for (const schema of [
    { type: "string" },
    {},
    true,
    { type: ["string", "integer"] },
    { anyOf: [{ type: "integer" }, { type: "string" }] },
    { anyOf: [{ type: "object" }, { type: "string" }, { type: "null" }] },
    { enum: ["1", 1, "true", '{"a":1}'] },
  ]) {
    for (const text of ["1", "true", '{"a":1}']) expect(readOne(schema, text)).toBe(text);
  }
  // Text is allowed here, only not this one; another kind of value would be a guess.
  expect(readOne({ anyOf: [{ type: "integer" }, { type: "string", pattern: "^x" }] }, "5")).toBe("refused");
  expect(readOne({ type: "array", contains: { type: "integer" } }, ["1"])).toBe("refused");
});

test("nested arguments are read through references, members, elements and alternatives, and each is named by its path", () => {
  const schema = {
    type: "object",
    properties: {
      filter: { anyOf: [{ $ref: "#/$defs/filter" }, { type: "null" }] },
      pages: { type: "array", prefixItems: [{ type: "string" }], items: { type: "integer" } },
      extra: { type: "object", additionalProperties: { type: "boolean" } },
    },
    $defs: {
      filter: {
        type: "object",
        properties: { limit: { type: "integer" }, name: { type: "string" }, and: { type: "array", items: { $ref: "#/$defs/filter" } } },
      },
    },
  };
  expect(
    read(schema, {
      filter: { limit: "5", name: "7", and: [{ limit: "6" }, '{"limit":"8"}'] },
      pages: ["1", "2"],
      extra: { "odd key": "true" },
    }),
  ).toEqual([
    { filter: { limit: 5, name: "7", and: [{ limit: 6 }, { limit: 8 }] }, pages: ["1", 2], extra: { "odd key": true } },
    "filter.limit as integer",
    "filter.and[0].limit as integer",
    "filter.and[1] as object",
    "filter.and[1].limit as integer",
    "pages[1] as integer",
    'extra["odd key"] as boolean',
  ]);
});

test("among alternatives the one that the value can still fit decides; where several can, a text has to be wrong in all of them", () => {
  const byKind = {
    type: "object",
    oneOf: [
      { properties: { kind: { const: "count" }, n: { type: "integer" } }, required: ["kind", "n"] },
      { properties: { kind: { const: "name" }, n: { type: "string" } }, required: ["kind", "n"] },
    ],
  };
  expect(read(byKind, { kind: "count", n: "5" })).toEqual([{ kind: "count", n: 5 }, "n as integer"]);
  expect(read(byKind, { kind: "name", n: "5" })).toEqual({ kind: "name", n: "5" });
  const either = (one: JsonValue, other: JsonValue): JsonObject => ({
    type: "object",
    properties: { must: { type: "boolean" } },
    required: ["must"],
    anyOf: [{ properties: { n: one } }, { properties: { n: other } }],
  });
  expect(read(either({ type: "integer" }, { type: "number" }), { must: "true", n: "5" })).toEqual([
    { must: true, n: 5 },
    "must as boolean",
    "n as integer",
  ]);
  expect(read(either({ type: "integer" }, { type: "string" }), { must: "true", n: "5" })).toEqual([
    { must: true, n: "5" },
    "must as boolean",
  ]);
});

test("with repair off nothing is read otherwise than written", () => {
  const schema = { type: "object", properties: { n: { type: "integer" } } };
  expect(read(schema, { n: "5" }, false)).toBe('Arguments of tool do not fit:\n- n: expected an integer; found "5"');
});

test("where something else does not fit, the message speaks of the arguments as they were read and says what was read", () => {
  const schema = {
    type: "object",
    properties: { query: { type: "object", properties: { limit: { type: "integer", maximum: 9 } } }, n: { type: "integer" } },
  };
  expect(read(schema, { query: '{"limit":12}', n: "5" })).toBe(
    "Arguments of tool do not fit:\n- query.limit: expected an integer of at most 9; found 12\n" +
      "Text was read as what it stands for: query as object, n as integer.",
  );
});

test("the arguments of the caller are never changed", () => {
  const given = Object.freeze({ n: "5", list: Object.freeze(["1"]) });
  const schema = {
    type: "object",
    properties: { n: { type: "integer" }, list: { type: "array", items: { type: "integer" } }, d: { default: 1 } },
  };
  expect(read(schema, given)).toEqual([{ n: 5, list: [1], d: 1 }, "n as integer", "list[0] as integer"]);
  expect(given).toEqual({ n: "5", list: ["1"] });
});

test("defaults are filled in where members are missing, nested ones and those of an optional model too", () => {
  const schema = {
    type: "object",
    properties: {
      limit: { type: "integer", default: 10 },
      options: { type: "object", default: {}, properties: { deep: { type: "boolean", default: true } } },
      page: { anyOf: [{ $ref: "#/$defs/page" }, { type: "null" }], default: null },
      rows: { type: "array", items: { type: "object", properties: { n: { default: 0 } } } },
    },
    required: ["limit"],
    $defs: { page: { type: "object", properties: { size: { type: "integer", default: 20 } } } },
  };
  expect(read(schema, {})).toEqual({ limit: 10, options: { deep: true }, page: null });
  expect(read(schema, { limit: 1, page: {}, rows: [{}] })).toEqual({
    limit: 1,
    options: { deep: true },
    page: { size: 20 },
    rows: [{ n: 0 }],
  });
});

test("each call has defaults of its own", () => {
  const schema: JsonObject = { type: "object", properties: { list: { type: "array", default: [1] } } };
  const reader = createArgumentReader(schema, { validator: compileValidator(schema, { applyDefaults: false }) });
  const first = reader.read({}, { repair: true });
  const second = reader.read({}, { repair: true });
  expect(first).toEqual(second);
  expect(first.ok && second.ok && first.value.list !== second.value.list).toBe(true);
});

test("a default that does not fit, or that asks for more, is left out and makes no good call bad", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "integer", default: "ten" },
      b: { type: "integer", default: 2 },
      o: { type: "object", default: { n: "x" }, properties: { n: { type: "integer" } } },
    },
  };
  expect(read(schema, {})).toEqual({ b: 2 });
  expect(read({ ...schema, required: ["a"] }, {})).toBe("Arguments of tool do not fit:\n- a: missing; expected an integer");
  const demanding = { type: "object", properties: { user: { default: "me" }, password: {} }, dependentRequired: { user: ["password"] } };
  expect(read(demanding, {})).toEqual({});
  expect(read(demanding, { password: "x" })).toEqual({ user: "me", password: "x" });
});

test("a default that holds itself is filled in once", () => {
  const schema = { type: "object", properties: { child: { $ref: "#", default: {} } } };
  expect(read(schema, {})).toEqual({ child: {} });
});

test("alternatives that multiply are followed for a bounded time, then left as they are", () => {
  const definitions = Object.fromEntries(
    Array.from({ length: 12 }, (_, level) => [
      `d${level}`,
      {
        anyOf: Array.from({ length: 6 }, (_unused, number) => ({
          type: "object",
          properties: {
            a: level === 0 ? { type: ["string", "integer"] } : { allOf: [{ $ref: `#/$defs/d${level - 1}` }] },
            [`k${number}`]: true,
          },
        })),
      },
    ]),
  );
  const root: JsonObject = { type: "object", properties: { x: { $ref: "#/$defs/d11" }, n: { type: "integer" } }, $defs: definitions };
  const deep = (levels: number): JsonObject => (levels === 0 ? { a: "5" } : { a: deep(levels - 1) });
  const alwaysFits: Validator = {
    validate: (value) => ({ ok: typeof (isJsonObject(value) ? value.n : 0) === "number", value, issues: [] }),
  };
  const started = performance.now();
  const outcome = createArgumentReader(root, { validator: alwaysFits }).read({ x: deep(11), n: "5" }, { repair: true });
  expect(outcome.ok ? outcome.value.x : outcome.issues).toEqual(outcome.ok ? deep(11) : []);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test("hostile text is refused without an exception", () => {
  const schema = { type: "object", properties: { x: { type: "array" } } };
  expect(read(schema, { x: "[".repeat(200_000) + "]".repeat(200_000) })).toMatch(/^Arguments of tool do not fit/);
  expect(read(schema, { x: "[".repeat(300) + "]".repeat(300) })).toMatch(/^Arguments of tool do not fit/);
  const tree = {
    type: "object",
    properties: { x: { $ref: "#/$defs/tree" } },
    $defs: { tree: { type: "array", items: { $ref: "#/$defs/tree" } } },
  };
  expect(read(tree, { x: "[".repeat(200_000) + "]".repeat(200_000) })).toMatch(/^Arguments of tool do not fit/);
  expect(read(tree, { x: '["[\\"[]\\"]"]' })).toMatchObject([{ x: [[[]]] }, "x as array", "x[0] as array", "x[0][0] as array"]);
  expect(read(schema, { x: `["${"\\\\".repeat(400_000)}"]` })).toMatchObject([{ x: [expect.any(String)] }, "x as array"]);
});
