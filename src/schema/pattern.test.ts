import fc from "fast-check";
import { expect, test } from "vitest";
import { backtrackingReason, compilePattern, isPortablePattern, parsePattern } from "./pattern.ts";

const PARTS = [
  "a",
  "b",
  "-",
  "é",
  "\u{1F600}",
  "\\d",
  "\\w",
  "\\s",
  "\\S",
  "\\b",
  ".",
  "[a-c]",
  "[^a]",
  "[\\s-]",
  "[\\S]",
  "[\\w.-]",
  "\\.",
  "\\n",
];
const MORE = ["\\u00e9", "\\x41", "\\u{1F600}", "\\p{L}", "\\cA", "\\0", "[^]", "[]", "[&&]", "[[]", "^", "$", "|"];
const part = fc.constantFrom(...PARTS, ...MORE);
const count = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "*?");
const piece = fc.tuple(part, count).map(([text, times]) => (/^[\^$|]$|^\\b$/.test(text) ? text : text + times));
const group = fc.tuple(fc.constantFrom("(", "(?:", "(?<n>"), fc.array(piece, { maxLength: 3 }), count);
const anyPattern = fc.oneof(
  fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("")),
  fc
    .tuple(fc.array(piece, { maxLength: 2 }), group)
    .map(([first, [open, inner, times]]) => `${first.join("")}${open}${inner.join("")})${times}`),
);
const characters = ["a", "b", "c", "A", "é", "1", "-", ".", " ", "\n", "\u00a0", "\u2028", "\ufeff", "\u{1F600}", "\0", "\x01", "&", "["];
const anyText = fc.array(fc.constantFrom(...characters), { maxLength: 5 }).map((list) => list.join(""));

test("a pattern means on our engine what it means in JavaScript", () => {
  fc.assert(
    fc.property(anyPattern, fc.array(anyText, { minLength: 5, maxLength: 10 }), (pattern, texts) => {
      const compiled = compilePattern(pattern);
      const expression = parsePattern(pattern);
      expect(texts.map((text) => compiled.test(text))).toEqual(texts.map((text) => expression.test(text)));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["^[\\w\\-]+$", "a-b", "a b"],
  ["^a{2", "a{2", "aa"],
  ["^\\p{Letter}+$", "éa", "1"],
  ["^\\p{Script=Greek}+$", "αβ", "ab"],
  ["^\\p{Lu}\\P{L}$", "A1", "AA"],
  ["^.{1,2000}$", "x", ""],
  ["(a)\\1", "aa", "ab"],
])("the pattern %s matches %j and not %j", (pattern, right, wrong) => {
  const { test: matches } = compilePattern(pattern);
  expect([matches(right), matches(wrong)]).toEqual([true, false]);
});

test.each([
  ["^(?=a)", "look-around"],
  ["(?<!a)b", "look-around"],
  ["(a)\\1", "a back-reference"],
  ["(?<n>a)\\k<n>", "a back-reference"],
  ["^.{1,2000}$", "a repetition of more than 1000"],
  ["(?:a{100}){100}", "a repetition of more than 1000 in all, or a property of Unicode"],
  ["\\p{Script_Extensions=Greek}", "a property of Unicode"],
])("of %s the reason for backtracking is told", (pattern, reason) => {
  expect(backtrackingReason(pattern)).toBe(reason);
});

test.each(["^[A-Z]{2}-\\d+$", "^\\S+@\\S+\\.com$", "^(?:a|b)*$", "[\\]\\[]"])("%s can be published as it is", (pattern) => {
  expect(isPortablePattern(pattern)).toBe(true);
});

test.each(["\\p{L}", "\\u00e9", "(?<n>a)", "[^]", "^a{2", "(?!a)", "[a&&b]", "\\0"])(
  "%s is not left to the engines of clients",
  (pattern) => {
    expect(isPortablePattern(pattern)).toBe(false);
  },
);

test("what is no regular expression is refused as JavaScript refuses it", () => {
  expect(() => compilePattern("(")).toThrow(SyntaxError);
});
