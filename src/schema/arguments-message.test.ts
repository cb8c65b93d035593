import { expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { issueText } from "./arguments-message.ts";
import { MAX_BACKTRACKING_CHARACTERS } from "./pattern.ts";
import { createArgumentReader } from "./repair/argument-reader.ts";
import { compileValidator } from "./validator.ts";

/** The lines that are told of arguments that do not fit. */
function told(schema: JsonObject, args: JsonObject): readonly string[] {
  const checked = compileValidator(schema, { applyDefaults: false }).validate(args);
  return checked.ok ? [] : checked.issues.map((issue) => issueText(issue));
}

const of = (a: JsonObject): JsonObject => ({ type: "object", properties: { a } });
const DRAFTS = ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", undefined] as const;

test.each(DRAFTS)("a rule about lists or objects without a type is told in the words of the others (%s)", (draft) => {
  const dialect = draft === undefined ? {} : { $schema: draft };
  const line = (a: JsonObject, value: JsonObject[string]): readonly string[] => told({ ...dialect, ...of(a) }, { a: value });
  expect(line({ maxItems: 1 }, [1, 2])).toEqual(["a: expected an array of at most 1 item; found [1,2]"]);
  expect(line({ minItems: 2 }, [])).toEqual(["a: expected an array of at least 2 items; found []"]);
  expect(line({ uniqueItems: true }, [1, 1])).toEqual(["a: expected an array without repetitions; found [1,1]"]);
  expect(line({ minProperties: 1 }, {})).toEqual(["a: expected an object of at least 1 key; found {}"]);
  const tuple = draft === undefined ? { prefixItems: [{}], items: false } : { items: [{}], additionalItems: false };
  expect(line(tuple, [1, 2])).toEqual(["a: expected an array of at most 1 item; found [1,2]"]);
});

test("what is expected is said also where the schema refers to it, puts it together or excludes it, and a recursive one takes no time", () => {
  const money = { type: "object", properties: { amount: { type: "number" } } };
  const missing = (a: JsonObject): string | undefined => told({ ...of(a), required: ["a"], $defs: { money } }, {})[0];
  expect(missing({ $ref: "#/$defs/money" })).toBe("a: missing; expected an object");
  expect(missing({ allOf: [{ type: "string" }, { maxLength: 3 }] })).toBe("a: missing; expected a string of at most 3 characters");
  expect(missing({ anyOf: [{ $ref: "#/$defs/money" }, { type: "null" }] })).toBe("a: missing; expected an object or null");
  expect(missing({ not: { type: "string" } })).toBe("a: missing; expected anything but a string");
  expect(missing({ description: "Whatever" })).toBe("a: missing; expected any value");
  const branches = Array.from({ length: 20 }, (_, index) => ({ anyOf: [{ $ref: "#/$defs/all" }, { const: index }] }));
  const started = performance.now();
  expect(
    told({ ...of({ $ref: "#/$defs/all" }), required: ["a"], $defs: { all: { type: "array", items: { anyOf: branches } } } }, {}),
  ).toEqual(["a: missing; expected an array"]);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test("a text that a slow pattern is not tried on, or takes too long, is named with its field", () => {
  const slow = (pattern: string): JsonObject => ({ type: "object", properties: { a: { properties: { b: { type: "string", pattern } } } } });
  const long = "a".repeat(MAX_BACKTRACKING_CHARACTERS + 1);
  expect(told(slow("(a)\\1$"), { x: 1, a: { b: long } })[0]).toMatch(
    /^a\.b: expected text of at most 10000 characters for the pattern .*; found text of 10001 characters$/,
  );
  expect(told(slow("^(a|a)+(?=b)$"), { a: { b: "a".repeat(200) } })[0]).toMatch(
    /^a\.b: expected text that can be tried on the pattern .* within 250 ms; found text of 200 characters that takes longer$/,
  );
});

test("a value or key that differs from the right one only in how its marks are written is said to", () => {
  const [one, two] = ["caf\u00e9", "cafe\u0301"];
  expect(told(of({ enum: [one, "tea"] }), { a: two })).toEqual([
    `a: expected one of "${one}", "tea"; found "${two}", which looks like "${one}" but is written with other Unicode characters`,
  ]);
  expect(told({ type: "object", properties: { [one]: {} }, additionalProperties: false }, { [two]: 1 })).toEqual([
    `["${two}"]: not a parameter; did you mean "${one}"? It looks the same and is written with other Unicode characters.`,
  ]);
});

test("where a required key is missing and one like it is given, that one is named, also where the schema takes any key", () => {
  const schema = { type: "object", properties: { text: { type: "string" }, mode: {} }, required: ["text"] };
  expect(told(schema, { txt: "x" })).toEqual([
    'text: missing; expected a string. "txt" is given, which is not a parameter: is it meant to be text?',
  ]);
  expect(told({ ...schema, additionalProperties: false }, { txt: "x" })).toEqual([
    "text: missing; expected a string",
    'txt: not a parameter; did you mean "text"?',
  ]);
  expect(told(schema, { mode: 1, other: 2 })).toEqual(["text: missing; expected a string"]);
});

test("a default that was filled in does not hide the key that a wrong one was meant to be", () => {
  const properties = { uri: { type: "string" }, offset: { type: "integer", default: 0 }, tags: { type: "array", default: ["a"] } };
  const schema = { type: "object", properties, required: ["uri"], additionalProperties: false };
  const withDefaults = (args: JsonObject): readonly string[] => {
    const read = createArgumentReader(schema, { validator: compileValidator(schema, { applyDefaults: false }) }).read(args, {
      repair: true,
    });
    return read.ok ? [] : read.issues.map((issue) => issueText(issue));
  };
  const offset = ['ofset: not a parameter; did you mean "offset"?'];
  expect(withDefaults({ uri: "a", ofset: 1 })).toEqual(offset);
  expect(withDefaults({ uri: "a", tag: [] })).toEqual(['tag: not a parameter; did you mean "tags"?']);
  expect(told(schema, { uri: "a", ofset: 1 })).toEqual(offset);
  // One that is given with another value stays taken.
  expect(withDefaults({ uri: "a", offset: 2, ofset: 1 })).toEqual(['ofset: not a parameter; known are "tags"']);
});

const byId = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const byPlace = { type: "object", properties: { name: {}, city: {} }, required: ["name", "city"] };

test.each(["oneOf", "anyOf"] as const)(
  "arguments that fit no object of a root %s are told which there are and what each lacks",
  (keyword) => {
    const schema = { [keyword]: [byId, byPlace] };
    const two = (id: string, place: string): readonly string[] => [
      `the arguments: expected an object with "id"${id} or an object with "name" and "city"${place}`,
    ];
    expect(told(schema, {})).toEqual(two(' (missing "id")', ' (missing "name" and "city"); found {}'));
    expect(told(schema, { name: "x" })).toEqual(two(' (missing "id")', ' (missing "city"); found {"name":"x"}'));
    expect(told(schema, { id: 1 })).toEqual(two(" (id is 1 instead of a string)", ' (missing "name" and "city"); found {"id":1}'));
  },
);

test("alternatives below the root, behind references or for lists say the same, and one with few keys says which", () => {
  const refs = { anyOf: [{ $ref: "#/$defs/byId" }, { allOf: [byPlace, { required: ["zip"] }] }, { type: "null" }] };
  const inner = (value: JsonObject): readonly string[] => told({ ...of(refs), $defs: { byId }, required: ["a"] }, value);
  expect(inner({ a: {} })).toEqual([
    'a: expected an object with "id" (missing "id") or an object with "name" and "city" and "zip" (missing "name" and "city" and "zip") or null; found {}',
  ]);
  expect(inner({})).toEqual(['a: missing; expected an object with "id" or an object with "name" and "city" and "zip" or null']);
  const lists = {
    anyOf: [
      { type: "array", items: { type: "integer" } },
      { type: "array", items: { type: "string" } },
    ],
  };
  expect(told(of(lists), { a: [1, "x"] })).toEqual([
    'a: expected an array (a[1] is "x" instead of an integer) or an array (a[0] is 1 instead of a string); found [1,"x"]',
  ]);
  const closed = { type: "object", properties: { b: {} }, additionalProperties: false };
  expect(told({ anyOf: [byId, closed] }, { c: 1 })).toEqual([
    'the arguments: expected an object with "id" (missing "id") or an object with nothing but "b" (c is not a parameter of it); found {"c":1}',
  ]);
});

test("of many alternatives and many faults some are told, and how many more there are", () => {
  const anyOf = Array.from({ length: 9 }, (_, index) => ({ ...byId, required: [`k${index}`] }));
  expect(told({ anyOf }, { id: "x" })[0]).toMatch(/ or an object with "k5" \(missing "k5"\) or one of 3 more; found \{"id":"x"\}$/);
  const properties = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, { type: "string" }]));
  expect(told({ anyOf: [{ type: "object", properties }, byId] }, { a: 1, b: 2, c: 3, d: 4, e: 5 })[0]).toContain(
    "an object (a is 1 instead of a string, b is 2 instead of a string, c is 3 instead of a string, 2 more) or ",
  );
});
