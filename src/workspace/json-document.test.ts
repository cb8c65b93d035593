import { expect, test } from "vitest";
import { parseJsonDocument } from "./json-document.ts";

function fault(text: string): string {
  const outcome = parseJsonDocument("tools.json", text);
  if (outcome.ok) return "parses";
  const { code, place, message } = outcome.problem;
  return place.kind === "position" ? `${code} ${place.line}:${place.column} ${message}` : code;
}

test("comments and trailing commas are read", () => {
  const outcome = parseJsonDocument("tools.json", '// first\n{ "a": [1, 2,], /* b */ "c": {}, }');
  expect(outcome.ok && outcome.document.value).toEqual({ a: [1, 2], c: {} });
});

test.each([
  ['{\n  "a": 1\n  "b": 2\n}', 'JSON_SYNTAX 3:3 Expected "," before "\\"b\\""; the entry above has none after it.'],
  ['{ "a": ', "JSON_SYNTAX 1:8 Expected a value; found the end of the file."],
  ['{ "a": NaN }', 'JSON_SYNTAX 1:8 Found "NaN"; expected a value: text in double quotes, a number, true, false, null, { or [.'],
  ["{ a: 1 }", 'JSON_SYNTAX 1:3 Found "a"; expected a value: text in double quotes, a number, true, false, null, { or [.'],
  ['{ "a" 1 }', 'JSON_SYNTAX 1:7 Expected ":" after the key; found "1".'],
  ['{ "a": "b\n" }', "JSON_SYNTAX 1:8 A text has no closing double quote on its line."],
  ['{ "a": "\\q" }', 'JSON_SYNTAX 1:8 "\\"\\\\q\\"" has a "\\" that starts no escape of JSON; write "\\\\" for a backslash.'],
  ["{} {}", 'JSON_SYNTAX 1:4 Expected the end of the file; found "{".'],
  ["", "JSON_SYNTAX 1:1 tools.json is empty; expected an object, at least {}."],
  ["// only a comment", "JSON_SYNTAX 1:18 Expected a value; found the end of the file."],
])("what is wrong with %j is told with line, column and what was expected", (text, message) => {
  expect(fault(text)).toBe(message);
});

test("lines are counted alike with LF, CRLF and CR, and a place shows its line", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const outcome = parseJsonDocument("tools.json", `{${end}  "a": x${end}}`);
    expect(outcome.ok ? undefined : outcome.problem.place).toEqual({
      kind: "position",
      file: "tools.json",
      line: 2,
      column: 8,
      sourceLine: '  "a": x',
    });
  }
});

test("a key that stands twice is a fault at its second place, and the first value stays", () => {
  const outcome = parseJsonDocument("tools.json", '{"a": {"b": 1,\n"b": 2}}');
  expect(outcome.ok && outcome.document.value).toEqual({ a: { b: 1 } });
  expect(outcome.ok && outcome.document.faults.map(({ path, problem }) => [path, problem.code, problem.place])).toEqual([
    [["a", "b"], "DUPLICATE_KEY", { kind: "position", file: "tools.json", line: 2, column: 1, sourceLine: '"b": 2}}' }],
  ]);
});

test("the key __proto__ is a fault at any depth and never in the value", () => {
  const outcome = parseJsonDocument("tools.json", '{"a": [{"__proto__": {"polluted": 1}}]}');
  expect(outcome.ok && [outcome.document.value, outcome.document.faults.map(({ path }) => path)]).toEqual([
    { a: [{}] },
    [["a", 0, "__proto__"]],
  ]);
});

test.each(["constructor", "prototype", "toString", "hasOwnProperty"])("%s is a key as any other", (key) => {
  const outcome = parseJsonDocument("tools.json", `{"a": [{"${key}": {"b": 1}}]}`);
  expect(outcome.ok && [JSON.stringify(outcome.document.value), outcome.document.faults]).toEqual([`{"a":[{"${key}":{"b":1}}]}`, []]);
});

test("a hundred thousand brackets are refused without exhausting the stack", () => {
  expect(fault("[".repeat(100_000))).toBe("JSON_SYNTAX 1:101 tools.json is nested deeper than 100 levels.");
  expect(fault(`${"[".repeat(100)}${"]".repeat(100)}`)).toBe("parses");
});

test("lone surrogates do not get out of the file", () => {
  const outcome = parseJsonDocument("tools.json", '{"a": "x\\ud800y"}');
  expect(outcome.ok && outcome.document.value).toEqual({ a: "x\uFFFDy" });
});

test("the place of what is missing is the object around it", () => {
  const outcome = parseJsonDocument("tools.json", '{"a":\n {"b": 1}}');
  expect(outcome.ok && outcome.document.placeOf(["a", "missing"])).toMatchObject({ line: 2, column: 2 });
  expect(outcome.ok && outcome.document.placeOf(["a", "b"], "key")).toMatchObject({ line: 2, column: 3 });
  expect(outcome.ok && outcome.document.placeOf(["a", "b"])).toMatchObject({ line: 2, column: 8 });
});
