import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";

/** Largest value of a secret in bytes of UTF-8: a private key fits, a file does not. */
const MAX_SECRET_BYTES = 65_536;

/** Shorter values are not searched for in answers: replacing "1234" everywhere would spoil them. */
const MIN_SECRET_CHARACTERS = 8;

/** What can stand in a header value (RFC 9110, 5.5): tab, visible ASCII, blank, and 0x80 to 0xFF. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** True for text that can stand in a header value. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

/** Checks a secret's name. Throws `ToolError` INVALID_REQUEST. */
export function parseSecretName(text: string): string {
  if (SECRET_NAME.test(text)) return text;
  throw new ToolError(
    "INVALID_REQUEST",
    `${JSON.stringify(text.slice(0, 80))} is not a name for a secret. Names have capital letters, digits and "_", begin with a letter, and are at most 64 long, such as API_TOKEN.`,
  );
}

/**
 * The value as it will be stored: one line break at its end is dropped, because files and `echo` add one.
 * Throws `ToolError` INVALID_REQUEST for what a header cannot carry, for over 64 KiB, and for less than 8 characters
 * unless `allowShort`. The value itself is never in a message.
 */
export function parseSecretValue(name: string, input: Secret, { allowShort = false }: { readonly allowShort?: boolean } = {}): Secret {
  const text = input.reveal().replace(/\r?\n$/, "");
  if (text.length === 0) throw refused(name, "is empty. Nothing was stored");
  if (Buffer.byteLength(text) > MAX_SECRET_BYTES) throw refused(name, `is over ${MAX_SECRET_BYTES} bytes`);
  if (/[\r\n]/.test(text)) throw refused(name, "has a line break inside, which a request header cannot carry");
  if (!isHeaderValue(text)) {
    throw refused(name, "has a character that a request header cannot carry (a control character, or one beyond U+00FF)");
  }
  if (text.length < MIN_SECRET_CHARACTERS && !allowShort) {
    throw refused(
      name,
      `has fewer than ${MIN_SECRET_CHARACTERS} characters. Values that short cannot be hidden in answers; store it with --allow-short if you accept that`,
    );
  }
  return new Secret(text);
}

function refused(name: string, found: string): ToolError {
  return new ToolError("INVALID_REQUEST", `The value for ${name} ${found}.`);
}
