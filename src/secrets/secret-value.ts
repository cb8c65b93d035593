import { ToolError } from "../core/errors.ts";
import { isHeaderValue } from "../core/http-header.ts";
import { Secret } from "../core/secret.ts";
import { isSecretName } from "../core/secret-template.ts";

/** Largest value of a secret in bytes of UTF-8: a private key fits, a file does not. */
const MAX_SECRET_BYTES = 65_536;

/** Shorter values are not searched for in answers: replacing "1234" everywhere would spoil them. */
const MIN_MASKED_CHARACTERS = 8;

/** From this length on a value is taken without an estimate. */
const LONG_ENOUGH_CHARACTERS = 16;

/** Shorter ones need this many bits by `estimateBits`: what can be tried within hours is no secret. */
const MIN_BITS = 40;

/** Sizes of the classes of characters for the estimate. */
const CHARACTER_CLASSES: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[\t\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/, 33],
  [/[\x80-\xff]/, 96],
];

/** Blank, tab, and what programs that take text apart count as one (U+0085, U+00A0), at an end. */
const BLANK_END = /^[\t \x85\xa0]|[\t \x85\xa0]$/;

/** Checks a secret's name. Throws `ToolError` INVALID_REQUEST. */
export function parseSecretName(text: string): string {
  if (isSecretName(text)) return text;
  throw new ToolError(
    "INVALID_REQUEST",
    `${JSON.stringify(text.slice(0, 80))} is not a name for a secret. Names have capital letters, digits and "_", begin with a letter, and are at most 64 long, such as API_TOKEN.`,
  );
}

/**
 * What is lost with a value that only `allowShort` lets in. `unmasked`: under 8 characters, it is not searched for in
 * answers. `guessable`: under 16 characters and 40 bits, it is masked but can be found by trying.
 */
export type ValueWeakness = "unmasked" | "guessable";

/** The weakness as a field of a report, if there is one. */
export function weaknessField(value: Secret | undefined): { readonly weakness?: ValueWeakness } {
  const weakness = value === undefined ? undefined : weaknessOf(value);
  return weakness === undefined ? {} : { weakness };
}

/** The loss in words, as the rest of a sentence that begins with the secret's name. */
export function weaknessText(weakness: ValueWeakness): string {
  return weakness === "unmasked"
    ? `has fewer than ${MIN_MASKED_CHARACTERS} characters, so it is not masked: an answer that repeats it shows it to script and model`
    : `has fewer than ${LONG_ENOUGH_CHARACTERS} characters and is easy to guess: it is masked in answers, but who tries values finds it`;
}

/** What is weak about a value; undefined: at least 16 characters, or 8 with 40 bits by `estimateBits`. */
export function weaknessOf(value: Secret): ValueWeakness | undefined {
  const text = value.reveal();
  if (text.length < MIN_MASKED_CHARACTERS) return "unmasked";
  return text.length >= LONG_ENOUGH_CHARACTERS || estimateBits(text) >= MIN_BITS ? undefined : "guessable";
}

/**
 * The estimate: characters × log2 of the size of the classes that occur (a-z 26, A-Z 26, digits 10, other ASCII 33, above
 * ASCII 96), where three or more of the same character, or in a row up or down ("aaa", "abc", "321"), count as one.
 */
export function estimateBits(text: string): number {
  const alphabet = CHARACTER_CLASSES.reduce((sum, [pattern, size]) => sum + (pattern.test(text) ? size : 0), 0);
  return alphabet === 0 ? 0 : countWithoutRuns(text) * Math.log2(alphabet);
}

function countWithoutRuns(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += runLength(text, at)) count++;
  return count;
}

/** Length of the run that begins here; 1 for less than three. */
function runLength(text: string, at: number): number {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at);
  if (step !== 0 && step !== 1 && step !== -1) return 1;
  let end = at + 2;
  while (end < text.length && text.charCodeAt(end) - text.charCodeAt(end - 1) === step) end++;
  return end - at >= 3 ? end - at : 1;
}

/** For what, and how, a value is taken. */
interface ValueRules {
  readonly allowShort?: boolean;
  /** `use`: one like it is stored already; messages then say nothing of storing. Default `store`. */
  readonly purpose?: "store" | "use";
}

const WEAK_ADVICE = {
  store: "Store it with --allow-short if you accept that",
  use: "The stored one is not so weak; give one that is not either",
};

/**
 * The value as it will be stored: one line break at its end is dropped, because files and `echo` add one.
 * Throws `ToolError` INVALID_REQUEST for what a header cannot carry, for a blank at an end, for over 64 KiB, and for a weak one
 * unless `allowShort`. The value itself is never in a message.
 */
export function parseSecretValue(name: string, input: Secret, { allowShort = false, purpose = "store" }: ValueRules = {}): Secret {
  const text = input.reveal().replace(/\r?\n$/, "");
  if (text.length === 0) throw refused(name, purpose === "store" ? "is empty. Nothing was stored" : "is empty");
  if (Buffer.byteLength(text) > MAX_SECRET_BYTES) throw refused(name, `is over ${MAX_SECRET_BYTES} bytes`);
  if (/[\r\n]/.test(text)) throw refused(name, "has a line break inside, which a request header cannot carry");
  if (!isHeaderValue(text)) {
    throw refused(name, "has a character that a request header cannot carry (a control character, or one beyond U+00FF)");
  }
  // HTTP takes blanks off the ends of a header's value (RFC 9110, 5.5), so an echo would be another text than the one masked.
  if (BLANK_END.test(text)) {
    throw refused(name, "has a blank or tab at its beginning or end, which servers drop from a header. Give it without");
  }
  const value = new Secret(text);
  const weakness = allowShort ? undefined : weaknessOf(value);
  if (weakness !== undefined) throw refused(name, `${weaknessText(weakness)}. ${WEAK_ADVICE[purpose]}`);
  return value;
}

function refused(name: string, found: string): ToolError {
  return new ToolError("INVALID_REQUEST", `The value for ${name} ${found}.`);
}
