/**
 * Reads a regular expression as ECMA-262 defines it and writes it in the syntax of RE2, with the same meaning: what
 * `\s`, `.` and `$` match differs between the two. Source: ECMA-262 section 22.2.1; the syntax page of RE2.
 */

/** A pattern read. */
export type PatternSyntax =
  | {
      readonly kind: "linear";
      /** The same in RE2's syntax. */
      readonly re2: string;
      /** True if every common engine (Python, Rust, RE2, Java, ECMA-262) reads the pattern as written, with the same meaning. */
      readonly isPortable: boolean;
    }
  | {
      readonly kind: "backtracking";
      /** What RE2 has no form for, in words. */
      readonly reason: string;
    };

/** Everything that `\s` matches in ECMA-262: white space and line ends of Unicode. */
const SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NOT_SPACE = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;
const ANY = String.raw`\x{0}-\x{10ffff}`;

/** Most repetitions that RE2 takes, those inside of others multiplied. */
export const MAX_REPETITIONS = 1_000;

/** Long names of general categories, as ECMA-262 spells them. RE2 knows the short ones. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Cased_Letter", "LC"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Titlecase_Letter", "Lt"],
  ["Modifier_Letter", "Lm"],
  ["Other_Letter", "Lo"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["digit", "Nd"],
  ["Punctuation", "P"],
  ["punct", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
  ["Space_Separator", "Zs"],
  ["Other", "C"],
  ["Control", "Cc"],
]);

/** Reads a pattern that a JavaScript engine takes; what it does not take, this does not judge. */
export function readPattern(pattern: string): PatternSyntax {
  const scanner: Scanner = { text: [...pattern], at: 0, isPortable: true, reason: undefined };
  let re2 = "";
  while (scanner.at < scanner.text.length && scanner.reason === undefined) re2 += readTerm(scanner);
  return scanner.reason === undefined
    ? { kind: "linear", re2, isPortable: scanner.isPortable }
    : { kind: "backtracking", reason: scanner.reason };
}

/** The text as code points and what was found out so far. */
interface Scanner {
  readonly text: readonly string[];
  at: number;
  isPortable: boolean;
  reason: string | undefined;
}

function next(scanner: Scanner): string {
  return scanner.text[scanner.at++] ?? "";
}

/** Takes the text that the expression matches here, which must start with `^`. */
function take(scanner: Scanner, expression: RegExp): string | undefined {
  const found = expression.exec(scanner.text.slice(scanner.at, scanner.at + 80).join(""))?.[0];
  if (found !== undefined) scanner.at += [...found].length;
  return found;
}

function giveUp(scanner: Scanner, reason: string): string {
  scanner.reason ??= reason;
  return "";
}

function readTerm(scanner: Scanner): string {
  const character = next(scanner);
  switch (character) {
    case "\\":
      return readEscape(scanner);
    case "[":
      return readClass(scanner);
    case "(":
      return readGroup(scanner);
    case ".":
      return `[^${LINE_ENDS}]`;
    case "{":
      return readCount(scanner);
    case "^":
    case "$":
    case ")":
    case "|":
    case "*":
    case "+":
    case "?":
      return character;
    default:
      return literal(character);
  }
}

function readGroup(scanner: Scanner): string {
  if (scanner.text[scanner.at] !== "?") return "(";
  if (take(scanner, /^\?:/u) !== undefined) return "(?:";
  if (take(scanner, /^\?<?[=!]/u) !== undefined) return giveUp(scanner, "look-around");
  if (take(scanner, /^\?<[^>]+>/u) !== undefined) {
    // Python writes (?P<name>…).
    scanner.isPortable = false;
    return "(";
  }
  return giveUp(scanner, "flags inside the pattern");
}

function readCount(scanner: Scanner): string {
  const count = take(scanner, /^\d+(?:,\d*)?\}/u);
  // Without Unicode mode a brace that counts nothing is a brace.
  if (count === undefined) {
    scanner.isPortable = false;
    return literal("{");
  }
  const numbers = count.slice(0, -1).split(",").map(Number);
  if (numbers.some((number) => number > MAX_REPETITIONS)) return giveUp(scanner, `a repetition of more than ${MAX_REPETITIONS}`);
  return `{${count}`;
}

/** An escape outside of a class. */
function readEscape(scanner: Scanner): string {
  const character = scanner.text[scanner.at] ?? "";
  if (/^[1-9]$/u.test(character) || (character === "k" && scanner.text[scanner.at + 1] === "<")) {
    return giveUp(scanner, "a back-reference");
  }
  switch (character) {
    case "b":
    case "B":
      scanner.at++;
      return `\\${character}`;
    case "s":
      scanner.at++;
      return `[${SPACE}]`;
    case "S":
      scanner.at++;
      return `[^${SPACE}]`;
    default:
      return readSet(scanner) ?? literal(readCharacter(scanner));
  }
}

/** An escape that stands for several characters, in a class and outside; undefined if there is none here. */
function readSet(scanner: Scanner): string | undefined {
  const plain = take(scanner, /^[dDwW]/u);
  if (plain !== undefined) return `\\${plain}`;
  const property = take(scanner, /^[pP]\{[^}]*\}/u);
  if (property === undefined) return undefined;
  scanner.isPortable = false;
  const [name = "", value] = property.slice(2, -1).split("=");
  const isCategory = value === undefined || name === "General_Category" || name === "gc";
  if (!isCategory && name !== "Script" && name !== "sc") return giveUp(scanner, "a property of Unicode");
  const written = value ?? name;
  return `\\${property[0] ?? "p"}{${isCategory ? (CATEGORIES.get(written) ?? written) : written}}`;
}

/** An escape that stands for one character. */
function readCharacter(scanner: Scanner): string {
  const code = take(
    scanner,
    /^(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})/u,
  );
  if (code !== undefined) return readCode(scanner, code);
  const control = take(scanner, /^c[A-Za-z]/u);
  if (control !== undefined) {
    scanner.isPortable = false;
    return String.fromCodePoint(control.charCodeAt(1) % 32);
  }
  const character = next(scanner);
  const named = new Map([
    ["t", "\t"],
    ["n", "\n"],
    ["v", "\v"],
    ["f", "\f"],
    ["r", "\r"],
    ["0", "\0"],
  ]).get(character);
  // Without Unicode mode any other letter stands for itself; other engines refuse it.
  if (named === "\0" || (named === undefined && /^[\p{L}\p{N}_]$/u.test(character))) scanner.isPortable = false;
  return named ?? character;
}

function readCode(scanner: Scanner, code: string): string {
  if (!code.startsWith("x")) scanner.isPortable = false;
  const units = code.includes("{") ? [code.slice(2, -1)] : code.split("\\").map((part) => part.slice(1));
  const values = units.map((unit) => Number.parseInt(unit, 16));
  const text = values.length > 1 ? String.fromCharCode(...values) : String.fromCodePoint(values[0] ?? 0);
  return text.isWellFormed() ? text : giveUp(scanner, "half of a surrogate pair");
}

function readClass(scanner: Scanner): string {
  const isNegated = scanner.text[scanner.at] === "^";
  if (isNegated) scanner.at++;
  let members = "";
  while (scanner.at < scanner.text.length && scanner.text[scanner.at] !== "]" && scanner.reason === undefined) {
    members += readMember(scanner);
  }
  scanner.at++;
  if (members !== "") return `[${isNegated ? "^" : ""}${members}]`;
  // An empty class matches nothing, its opposite everything; other engines read the bracket as a member.
  scanner.isPortable = false;
  return isNegated ? `[${ANY}]` : `[^${ANY}]`;
}

function readMember(scanner: Scanner): string {
  const first = readClassAtom(scanner);
  const isRange = scanner.text[scanner.at] === "-" && (scanner.text[scanner.at + 1] ?? "]") !== "]";
  if (!isRange) return written(first);
  scanner.at++;
  const last = readClassAtom(scanner);
  if (first.kind === "character" && last.kind === "character") return `${written(first)}-${written(last)}`;
  // Without Unicode mode a set beside a hyphen makes the hyphen a member.
  scanner.isPortable = false;
  return `${written(first)}${literal("-")}${written(last)}`;
}

type ClassAtom = { readonly kind: "set" | "character"; readonly text: string };

function written({ kind, text }: ClassAtom): string {
  return kind === "set" ? text : literal(text);
}

function readClassAtom(scanner: Scanner): ClassAtom {
  const character = next(scanner);
  if (character !== "\\") {
    // Engines with nested classes and set operations read these otherwise.
    if (character === "[" || (character === scanner.text[scanner.at] && /^[&~|-]$/u.test(character))) scanner.isPortable = false;
    return { kind: "character", text: character };
  }
  switch (scanner.text[scanner.at]) {
    case "s":
      scanner.at++;
      return { kind: "set", text: SPACE };
    case "S":
      scanner.at++;
      return { kind: "set", text: NOT_SPACE };
    case "b":
      scanner.at++;
      scanner.isPortable = false;
      return { kind: "character", text: "\b" };
    default: {
      if (/^[1-9]$/u.test(scanner.text[scanner.at] ?? "")) giveUp(scanner, "an octal escape");
      const set = readSet(scanner);
      return set === undefined ? { kind: "character", text: readCharacter(scanner) } : { kind: "set", text: set };
    }
  }
}

/** A character that stands for itself wherever RE2 reads it. */
function literal(character: string): string {
  if (character === "" || /^[A-Za-z0-9_ ]$/u.test(character)) return character;
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
