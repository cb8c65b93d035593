/**
 * Reads one escaped character, in whichever notation it is: `%2B`, `\u002b`, `\x2b`, `\/`, `&#43;`, `&#x2b;`, `&plus;`.
 * Looks at the bytes alone: nobody says in which notation an answer is, and answers mix them.
 */
import { characterOfName, LONGEST_NAME } from "./html-names.ts";

/** What stands at a place that may be an escape. */
export type EscapeSight = number;

/** No escape begins here. */
export const NO_ESCAPE: EscapeSight = 0;

/** More bytes are needed to say. */
export const UNDECIDED: EscapeSight = -1;

/** Bytes of an escape that {@link escapeAt} saw. */
export function lengthOf(sight: EscapeSight): number {
  return sight % LENGTHS;
}

/** The character that it stands for; below U+0100 also a byte of an encoding of several. */
export function codeOf(sight: EscapeSight): number {
  return Math.floor(sight / LENGTHS);
}

/**
 * The escape at a place, as a number for speed, for {@link lengthOf} and {@link codeOf}. `%25` before a code counts as part of
 * it, up to eight times. With `folds` the two bytes of U+0080 to U+00FF in UTF-8 are one too: text in Latin-1 and text
 * in UTF-8 become the same.
 */
export function escapeAt(bytes: Uint8Array, at: number, length: number, { folds, isLast }: EscapeOptions): EscapeSight {
  const sight = read(bytes, at, length, { folds, isLast });
  return sight === UNDECIDED && isLast ? NO_ESCAPE : sight;
}

/** See {@link escapeAt}. */
export interface EscapeOptions {
  readonly folds: boolean;
  /** Nothing follows after `length`. */
  readonly isLast: boolean;
}

const LENGTHS = 64;
const MAX_REPEATS = 8;
const MAX_DIGITS = 12;

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;

function read(bytes: Uint8Array, at: number, length: number, { folds, isLast }: EscapeOptions): EscapeSight {
  switch (bytes[at]) {
    case PERCENT:
      return percentAt(bytes, at, length, isLast);
    case BACKSLASH:
      return backslashAt(bytes, at, length, isLast);
    case AMPERSAND:
      return entityAt(bytes, at, length);
    case 0xc2:
    case 0xc3:
      return folds ? pairAt(bytes, at, length) : NO_ESCAPE;
    default:
      return NO_ESCAPE;
  }
}

function seen(length: number, code: number): EscapeSight {
  return length + code * LENGTHS;
}

function percentAt(bytes: Uint8Array, at: number, length: number, isLast: boolean): EscapeSight {
  let code = hexAt(bytes, at + 1, 2, length);
  if (code < 0) return code === CUT ? UNDECIDED : NO_ESCAPE;
  let from = at + 1;
  for (let repeats = 0; code === PERCENT && repeats < MAX_REPEATS; repeats++) {
    const next = hexAt(bytes, from + 2, 2, length);
    if (next === CUT && !isLast) return UNDECIDED;
    if (next < 0) break;
    code = next;
    from += 2;
  }
  return seen(from + 2 - at, code);
}

function backslashAt(bytes: Uint8Array, at: number, length: number, isLast: boolean): EscapeSight {
  if (at + 1 >= length) return UNDECIDED;
  const next = bytes[at + 1] ?? 0;
  if (next === 0x75) return unicodeAt(bytes, at, length, isLast);
  if (next === 0x78) return fixedAt(bytes, at, length, 2);
  const control = CONTROLS.get(next);
  if (control !== undefined) return seen(2, control);
  if (next >= 0x30 && next <= 0x33) return octalAt(bytes, at, length);
  if (next === AMPERSAND || next === PERCENT) {
    const sight = next === PERCENT ? percentAt(bytes, at + 1, length, isLast) : entityAt(bytes, at + 1, length);
    if (sight === UNDECIDED && !isLast) return UNDECIDED;
    // Before an escape it stands for itself: HTML and URLs escape the sign and leave it.
    return sight > 0 ? NO_ESCAPE : seen(2, next);
  }
  return isSign(next) ? seen(2, next) : NO_ESCAPE;
}

/** `\b`, `\f`, `\n`, `\r`, `\t`. */
const CONTROLS: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

function fixedAt(bytes: Uint8Array, at: number, length: number, digits: number): EscapeSight {
  const code = hexAt(bytes, at + 2, digits, length);
  if (code < 0) return code === CUT ? UNDECIDED : NO_ESCAPE;
  return seen(2 + digits, code);
}

/** `\uXXXX`, two of them for one character beyond U+FFFF, and `\u{X}`. */
function unicodeAt(bytes: Uint8Array, at: number, length: number, isLast: boolean): EscapeSight {
  if (bytes[at + 2] === 0x7b && at + 2 < length) return numberAt(bytes, at, at + 3, length, { base: 16, end: 0x7d });
  const first = fixedAt(bytes, at, length, 4);
  const code = codeOf(first);
  if (first <= 0 || code < 0xd800 || code > 0xdbff) return first;
  const next = at + 6;
  if (next + 1 >= length) return !isLast && (next >= length || bytes[next] === BACKSLASH) ? UNDECIDED : first;
  if (bytes[next] !== BACKSLASH || bytes[next + 1] !== 0x75) return first;
  const second = fixedAt(bytes, next, length, 4);
  if (second === UNDECIDED) return isLast ? first : UNDECIDED;
  const low = codeOf(second);
  return second > 0 && low >= 0xdc00 && low <= 0xdfff ? seen(12, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)) : first;
}

/** `\303`, as C and git write bytes. */
function octalAt(bytes: Uint8Array, at: number, length: number): EscapeSight {
  let code = 0;
  for (let index = 1; index <= 3; index++) {
    if (at + index >= length) return UNDECIDED;
    const digit = (bytes[at + index] ?? 0) - 0x30;
    if (digit < 0 || digit > 7) return NO_ESCAPE;
    code = code * 8 + digit;
  }
  return seen(4, code);
}

function entityAt(bytes: Uint8Array, at: number, length: number): EscapeSight {
  if (at + 1 >= length) return UNDECIDED;
  if (bytes[at + 1] !== 0x23) return namedAt(bytes, at, length);
  if (at + 2 >= length) return UNDECIDED;
  const isHex = bytes[at + 2] === 0x78 || bytes[at + 2] === 0x58;
  return numberAt(bytes, at, at + (isHex ? 3 : 2), length, { base: isHex ? 16 : 10, end: 0x3b });
}

interface NumberNotation {
  readonly base: 10 | 16;
  /** The byte that ends it. */
  readonly end: number;
}

/** A number of any length up to {@link MAX_DIGITS}, zeros before it included. */
function numberAt(bytes: Uint8Array, at: number, from: number, length: number, { base, end }: NumberNotation): EscapeSight {
  let code = 0;
  for (let to = from; to <= from + MAX_DIGITS; to++) {
    if (to >= length) return UNDECIDED;
    const byte = bytes[to] ?? 0;
    if (byte === end) return to > from && code <= 0x10ffff ? seen(to + 1 - at, code) : NO_ESCAPE;
    const digit = HEX_DIGITS[byte] ?? -1;
    if (digit < 0 || digit >= base) return NO_ESCAPE;
    code = code * base + digit;
  }
  return NO_ESCAPE;
}

function namedAt(bytes: Uint8Array, at: number, length: number): EscapeSight {
  for (let to = at + 1; to <= at + 1 + LONGEST_NAME; to++) {
    if (to >= length) return UNDECIDED;
    const byte = bytes[to] ?? 0;
    if (byte === 0x3b) {
      const code = characterOfName(bytes, at + 1, to);
      return code === undefined ? NO_ESCAPE : seen(to + 1 - at, code);
    }
    if (!isLetterOrDigit(byte)) return NO_ESCAPE;
  }
  return NO_ESCAPE;
}

function pairAt(bytes: Uint8Array, at: number, length: number): EscapeSight {
  if (at + 1 >= length) return UNDECIDED;
  const second = bytes[at + 1] ?? 0;
  return second >= 0x80 && second <= 0xbf ? seen(2, (((bytes[at] ?? 0) & 0x03) << 6) | (second & 0x3f)) : NO_ESCAPE;
}

/** Digits could follow, but the bytes end. */
const CUT = -2;

/** So many digits as a number; negative if they are not there. */
function hexAt(bytes: Uint8Array, from: number, digits: number, length: number): number {
  let code = 0;
  for (let at = from; at < from + digits; at++) {
    if (at >= length) return CUT;
    const digit = HEX_DIGITS[bytes[at] ?? 0] ?? -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

/** By byte: what it is worth as a hex digit, or -1. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? -1 : value;
});

function isLetterOrDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

function isSign(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f && !isLetterOrDigit(byte);
}
