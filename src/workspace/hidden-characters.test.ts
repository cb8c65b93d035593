import { expect, test } from "vitest";
import { findHiddenCharacters } from "./hidden-characters.ts";

test.each<[string, string, readonly string[], readonly string[]]>([
  ["tag characters", "a\u{E0041}\u{E0042}", ["U+E0041", "U+E0042"], []],
  ["direction overrides", "a\u202Eb", ["U+202E"], []],
  ["direction isolates", "a\u2066b\u2069", ["U+2066", "U+2069"], []],
  ["a zero width space", "a\u200Bb", [], ["U+200B"]],
  ["a soft hyphen", "a\u00ADb", [], ["U+00AD"]],
  ["a byte order mark inside", "a\uFEFFb", [], ["U+FEFF"]],
  ["a variation selector after a letter", "a\uFE0Fb\u{E0101}", [], ["U+FE0F", "U+E0101"]],
  ["private use", "a\uE000b", [], ["U+E000"]],
  ["a control character", "a\u0007b", [], ["U+0007"]],
  ["a Hangul filler", "a\u3164b", [], ["U+3164"]],
  ["joiners of Arabic or Persian text", "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", [], ["U+200C"]],
  ["a joiner between letters", "a\u200Db", [], ["U+200D"]],
  ["a family emoji", "\u{1F468}\u200D\u{1F469}\u200D\u{1F467} ok", [], []],
  ["a heart and a keycap", "\u2764\uFE0F 1\uFE0F\u20E3", [], []],
  ["line breaks, tabs and plain text", "one\n\ttwo\r\n“three” — 四", [], []],
])("%s: found and named", (_class, text, refused, warned) => {
  expect(findHiddenCharacters(text)).toEqual({ refused, warned });
});
