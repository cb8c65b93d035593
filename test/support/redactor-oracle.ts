/**
 * What the redactor is compared with: bodies that are put together of values in other programs' encodings, parts of values, and
 * noise, so that what must come out is known from how they were made.
 */
import fc from "fast-check";
import { createRedactor } from "../../src/egress/redactor.ts";
import { CHARACTER_ENCODERS, TEXT_ENCODERS, WHOLE_ENCODERS } from "./secret-encoders.ts";

/** A body and what must come of it. */
export interface Masking {
  readonly value: string;
  readonly body: Buffer;
  /** Of the whole output: text that stays, and `[redacted]` with what may stay beside it of neighbours in base64. */
  readonly expected: RegExp;
  readonly cuts: readonly number[];
}

/** The bytes through a stream, cut at these places (of any order and size). */
export function maskedInPieces(bytes: Buffer, values: readonly string[], cuts: readonly number[]): Buffer {
  const stream = createRedactor(values).stream();
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((one, other) => one - other);
  const pieces = places.slice(1).map((place, index) => stream.write(Buffer.from(bytes.subarray(places[index] ?? 0, place))));
  return Buffer.concat([...pieces, stream.end()]);
}

interface Part {
  readonly text: string;
  readonly expected: string;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
const same = (text: string): Part => ({ text, expected: literal(text) });
const MASK = literal("[redacted]");

// Signs that encoders treat differently, letters that escapes begin with, and few enough that values repeat themselves.
const character = fc.constantFrom(..."abnu25/+=<>&'\"\\% ;\u00e4\u00df\u00c3");
const value = fc.oneof(
  fc.string({ unit: character, minLength: 12, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("k", "9", "/", "+", "="), minLength: 12, maxLength: 90 }),
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 12, maxLength: 200 }),
);

/** Values of secrets, without those that are the same backwards of any shift: of those a part may be a whole. */
const usable = value
  .map((text) => text.trim())
  .filter((text) => text.length >= 12 && !/^(.{1,6})\1+/u.test(text) && new Set(text).size > 4);

/** Each character as it is, or in any encoding; signs that begin escapes are never left as they are. */
const mixed = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(text, (unit) =>
        fc
          .constantFrom(...CHARACTER_ENCODERS, (plain: string) => (/[%&\\]/u.test(plain) ? lowerHex(plain) : plain))
          .map((encode) => encode(unit)),
      ),
    )
    .map((units) => units.join(""));

function lowerHex(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16)}`;
}

const textEncoder = fc.constantFrom(...Object.values(TEXT_ENCODERS));
const wholeEncoder = fc.constantFrom(...Object.values(WHOLE_ENCODERS));
const few = fc.string({ unit: fc.constantFrom("x", "y", ":"), maxLength: 4 });

/** The value, or something that only looks like it, between signs that no encoding has. */
const partOf = (text: string): fc.Arbitrary<Part> => {
  const masked = (encoded: string): Part => ({ text: encoded, expected: MASK });
  return fc.oneof(
    textEncoder.map((encode) => masked(encode(text))),
    fc.tuple(textEncoder, textEncoder).map(([inner, outer]) => masked(outer(inner(text)))),
    mixed(text).map(masked),
    fc.tuple(few, wholeEncoder, few, textEncoder).map(([before, encode, after, outer]) => ({
      text: outer(encode(before + text + after)),
      expected: `[^ ]*${MASK}[^ ]*`,
    })),
    // All but one character, in the middle or at an end, whichever way it is written.
    fc
      .tuple(textEncoder, fc.integer({ min: 0, max: text.length - 1 }))
      .map(([encode, at]) => same(isClear(text) ? encode(`${text.slice(0, at)}\u00b7${text.slice(at + 1)}`) : "")),
    fc.constantFrom("", "ab", "%2B", "\\/", "&amp;", "%", "\\", "&#", "\u00e4", "[redacted]").map(same),
  );
};

/** A value from which no escape comes off: without one character it may be what the value is without its escapes. */
const isClear = (text: string): boolean => !/[\\%&]/u.test(text);

/** See {@link Masking}. */
export const maskings: fc.Arbitrary<Masking> = usable.chain((text) =>
  fc.tuple(fc.array(partOf(text), { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 8 })).map(([parts, cuts]) => ({
    value: text,
    body: Buffer.from(parts.map((part) => part.text).join(" | ")),
    expected: new RegExp(`^${parts.map((part) => part.expected).join(" \\| ")}$`, "su"),
    cuts,
  })),
);
