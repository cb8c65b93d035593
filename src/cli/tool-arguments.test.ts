import { expect, test } from "vitest";
import { parseArgumentsText, parsePairs } from "./tool-arguments.ts";
import { UsageError } from "./usage-error.ts";

const parameters = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    all: { type: "boolean" },
    tags: { type: "array" },
    where: { type: "object" },
    either: { type: ["string", "number"] },
    maybe: { anyOf: [{ type: "null" }, { type: "boolean" }] },
    level: { enum: [1, 2, "high"] },
    free: {},
    listed: { enum: [[2], "2", 2, "two", null, true, { a: 1 }] },
    mixed: { type: ["string", "integer"], enum: ["a", 2] },
    choice: { anyOf: [{ type: "string", enum: ["auto"] }, { const: 2 }, { type: "array", items: { type: "integer" } }] },
    union: { type: ["string", "integer"] },
    listOrNumber: { anyOf: [{ type: "array" }, { type: "integer" }] },
    year: {
      anyOf: [
        { type: "integer", maximum: 10 },
        { type: "string", pattern: "^[0-9]{4}$" },
      ],
    },
    listOrText: { type: ["array", "string"] },
  },
};

test.each([
  ["text=42", { text: "42" }],
  ["text=a=b", { text: "a=b" }],
  ["text=", { text: "" }],
  ['text={"a":1}', { text: '{"a":1}' }],
  ["count=42", { count: 42 }],
  ["count=ten", { count: "ten" }],
  ["count=0x10", { count: "0x10" }],
  ["count=1e400", { count: Infinity }],
  ["ratio=-1.5e3", { ratio: -1500 }],
  ["all=true", { all: true }],
  ["all=yes", { all: "yes" }],
  ['tags=["a"]', { tags: ["a"] }],
  ['where={"a":{"b":1}}', { where: { a: { b: 1 } } }],
  ["either=5", { either: 5 }],
  ["either=five", { either: "five" }],
  ["maybe=null", { maybe: null }],
  ["maybe=false", { maybe: false }],
  ["level=2", { level: 2 }],
  ["level=high", { level: "high" }],
  ["either=1.10", { either: "1.10" }],
  ["either=12345678901234567890", { either: "12345678901234567890" }],
  ["listed=2", { listed: 2 }],
  ["listed=[ 2 ]", { listed: [2] }],
  ['listed="2"', { listed: "2" }],
  ["listed=null", { listed: null }],
  ["listed=true", { listed: true }],
  ['listed={"a":1}', { listed: { a: 1 } }],
  ["listed=other", { listed: "other" }],
  ["mixed=2", { mixed: 2 }],
  ["mixed=a", { mixed: "a" }],
  ["choice=2", { choice: 2 }],
  ["choice=auto", { choice: "auto" }],
  ["choice=[1]", { choice: [1] }],
  ["union=5.5", { union: "5.5" }],
  ["listOrNumber=2", { listOrNumber: 2 }],
  ["year=2024", { year: "2024" }],
  ["year=7", { year: 7 }],
  ["listOrText=[a", { listOrText: "[a" }],
  ["listOrText=[1]", { listOrText: [1] }],
  ["free=[1]", { free: [1] }],
  ["free=[1", { free: "[1" }],
  ["unknown=true", { unknown: true }],
  ["constructor=x", { constructor: "x" }],
])("%s is typed by its schema", (pair, expected) => {
  expect(parsePairs([pair], parameters)).toEqual(expected);
});

test("a key such as __proto__ becomes a property of its own and changes no prototype", () => {
  const value = parsePairs(['__proto__={"polluted":true}'], parameters);
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test.each([[["text"]], [["=x"]], [["text=a", "text=b"]], [["tags=a,b"]], [["where={a:1}"]]])(
  "%j is refused with what to write instead",
  (pairs) => {
    expect(() => parsePairs(pairs, parameters)).toThrow(UsageError);
  },
);

test("the text of --args must be a JSON object", () => {
  expect(parseArgumentsText('{"a":1}', "--args")).toEqual({ a: 1 });
  expect(() => parseArgumentsText("[1]", "--args")).toThrow(UsageError);
  expect(() => parseArgumentsText("{a:1}", "--args")).toThrow(UsageError);
});
