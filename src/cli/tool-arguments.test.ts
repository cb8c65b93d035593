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
