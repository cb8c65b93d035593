// Texts for the readers of JSON: of messages over HTTP and stdio (strict), and of the files of a workspace (comments and
// trailing commas allowed). Written after the grammar of RFC 8259, section by section.

/** What a reader makes of a text. */
export type Reading = "value" | "refused";

/** A text, what the strict reader makes of it, and the reader of files where that differs. */
export interface JsonText {
  readonly about: string;
  readonly bytes: Buffer;
  readonly wire: Reading;
  readonly file: Reading;
}

function text(about: string, source: string | Buffer, wire: Reading, file: Reading = wire): JsonText {
  return { about, bytes: typeof source === "string" ? Buffer.from(source) : source, wire, file };
}

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

/** Each is the value of the key "x" in an object, which both readers get as a whole. */
const VALUES: readonly (readonly [string, string, Reading, Reading?])[] = [
  // Section 3: literals.
  ["true", "true", "value"],
  ["null", "null", "value"],
  ["a literal in capitals", "True", "refused"],
  ["NaN", "NaN", "refused"],
  ["Infinity", "Infinity", "refused"],
  ["minus Infinity", "-Infinity", "refused"],
  ["undefined", "undefined", "refused"],
  ["a word", "word", "refused"],
  // Section 4: objects.
  ["an empty object", "{}", "value"],
  ["an object with an empty key", '{"":0}', "value"],
  ["a trailing comma in an object", '{"a":1,}', "refused", "value"],
  ["two commas in an object", '{"a":1,,"b":2}', "refused"],
  ["a key without quotes", "{a:1}", "refused"],
  ["a key in single quotes", "{'a':1}", "refused"],
  ["a number as a key", "{1:1}", "refused"],
  ["a key without a value", '{"a"}', "refused"],
  ["a missing colon", '{"a" 1}', "refused"],
  ["an equals sign", '{"a"=1}', "refused"],
  ["two colons", '{"a"::1}', "refused"],
  ["an open object", '{"a":1', "refused"],
  // Section 5: arrays.
  ["an empty array", "[]", "value"],
  ["a trailing comma in an array", "[1,]", "refused", "value"],
  ["a leading comma", "[,1]", "refused"],
  ["only a comma", "[,]", "refused"],
  ["a missing comma", "[1 2]", "refused"],
  ["an open array", "[1", "refused"],
  ["a wrong bracket", "[1}", "refused"],
  // Section 6: numbers.
  ["zero and minus zero", "[0,-0]", "value"],
  ["fractions and exponents", "[1.5,1e3,1E+3,1e-3,-0.0e0]", "value"],
  ["a leading zero", "012", "refused"],
  ["a leading plus", "+1", "refused"],
  ["a leading point", ".5", "refused"],
  ["a trailing point", "1.", "refused"],
  ["a point before an exponent", "1.e3", "refused"],
  ["an exponent without digits", "1e", "refused"],
  ["two signs", "--1", "refused"],
  ["hexadecimal", "0x1", "refused"],
  ["a digit group", "1_000", "refused"],
  ["a BigInt", "1n", "refused"],
  ["a number too large for a double", "1e999", "value"],
  ["a full-width digit", "１", "refused"],
  // Section 7: strings.
  ["every short escape", '"\\"\\\\\\/\\b\\f\\n\\r\\t"', "value"],
  ["escapes by number", '"\\u0041\\uD83D\\uDE00"', "value"],
  ["a lone surrogate", '"\\uD800"', "value"],
  ["an escaped NUL", '"\\u0000"', "value"],
  ["an unknown escape", '"\\x41"', "refused"],
  ["an escape by octal number", '"\\101"', "refused"],
  ["too few digits", '"\\u00"', "refused"],
  ["digits that are none", '"\\u00zz"', "refused"],
  ["an open string", '"a', "refused"],
  ["an escaped end", '"a\\"', "refused"],
  ["single quotes", "'a'", "refused"],
  ["backticks", "`a`", "refused"],
  ["a raw line feed", '"a\nb"', "refused"],
  ["a raw tab", '"a\tb"', "refused"],
  ["a raw NUL", '"a\u0000b"', "refused"],
  ["line separators of Unicode", '"\u2028\u2029"', "value"],
  ["a delete character", '"\u007f"', "value"],
  // What other readers take beside the grammar.
  ["a comment to the end of the line", "1 // x\n", "refused", "value"],
  ["a comment in between", "/* x */ 1", "refused", "value"],
  ["an open comment", "1 /* x", "refused"],
  ["a comment with a hash", "1 # x\n", "refused"],
  ["a function call", "Date(1)", "refused"],
  ["a regular expression", "/a/", "refused"],
];

/** Texts as a whole. */
const WHOLE: readonly JsonText[] = [
  text("white space around", " \t\r\n{} \n", "value"),
  text("a form feed around", "\f{}", "refused"),
  text("a no-break space around", "\u00a0{}", "refused"),
  text("nothing", "", "refused"),
  text("white space alone", "  \n", "refused"),
  text("two values", "{}{}", "refused"),
  text("a value and a word", "{} x", "refused"),
  text("a value and a bracket", "{}}", "refused"),
  text("a value and a NUL", bytes("{}", [0]), "refused"),
  text("a byte order mark", bytes([0xef, 0xbb, 0xbf], "{}"), "value"),
  text("UTF-16 with a byte order mark", bytes([0xff, 0xfe], [0x7b, 0, 0x7d, 0]), "refused"),
  text("UTF-16 without one", bytes([0x7b, 0, 0x7d, 0]), "refused"),
  text("bytes that are not UTF-8", bytes('{"x":"', [0xff, 0xfe], '"}'), "refused"),
  text("an overlong slash", bytes('{"x":"', [0xc0, 0xaf], '"}'), "refused"),
  text("a surrogate in UTF-8", bytes('{"x":"', [0xed, 0xa0, 0x80], '"}'), "refused"),
  text("a cut character", bytes('{"x":"', [0xe2, 0x82], '"}'), "refused"),
  text("a code point beyond Unicode", bytes('{"x":"', [0xf4, 0x90, 0x80, 0x80], '"}'), "refused"),
  text("brackets nested 10,000 deep", "[".repeat(10_000) + "]".repeat(10_000), "refused"),
  text("open brackets alone, 100,000 of them", "[".repeat(100_000), "refused"),
  text("objects nested 10,000 deep", `${'{"x":'.repeat(10_000)}1${"}".repeat(10_000)}`, "refused"),
];

/** All of them. */
export const JSON_TEXTS: readonly JsonText[] = [
  ...VALUES.map(([about, value, wire, file]) => text(about, `{"x":${value}}`, wire, file)),
  ...WHOLE,
];
