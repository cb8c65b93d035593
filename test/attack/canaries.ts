/** The secrets of the attack: each holds a mark that nothing else in the world holds, at both of its ends, so that a part of it is found as well. */

/** In every secret of the attack but the short one. */
export const MARK = "Zq7cAnArYw";

/** The whole value of the shortest secret that is masked. */
const SHORT = "kQ8!vZ2w";

/** Stands for the token that the issuer gives; never stored. */
export const ISSUED_TOKEN = `issued.${MARK}.token.${MARK}`;

/** A secret without the mark: the attacker's own server says it as a guess, and a guess is not masked. */
export const GUESSED = "guess-0123456789-abcdef";

const FILLER = "0123456789abcdef/+=&<>\"' ".repeat(161);

/** Name and value of every secret that is stored. */
export const SECRETS = {
  API_KEY: `${MARK}/+a&b=<c>"d'e~${MARK}`,
  LATIN_KEY: `${MARK}-ÄÖü-é-ß-${MARK}`,
  JWT_KEY: `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify({ sub: MARK })).toString("base64url")}.${MARK}`,
  SHORT_KEY: SHORT,
  LONG_KEY: `${MARK}${FILLER}${MARK}`.slice(0, 4096 - MARK.length) + MARK,
  USER_NAME: `user-${MARK}`,
  PASS_WORD: `pass:${MARK}:word`,
  MAPS_KEY: `maps ${MARK}&${MARK}`,
  CLIENT_ID: `client-${MARK}`,
  CLIENT_SECRET: `client+secret/${MARK}`,
  PATH_KEY: `path-${MARK}-key`,
  TWO_KEY: `two-${MARK}-key`,
  TLS_KEY: `tls-${MARK}-key`,
  GUESS_KEY: GUESSED,
  // What is filled in is not searched for templates again.
  NESTED_KEY: `{{TWO_KEY}} <<PATH_KEY>> ${MARK}`,
} as const;

/** Bytes that betray a secret, and how they were made of it. */
export interface Needle {
  readonly form: string;
  readonly bytes: Buffer;
}

/**
 * Every form in which a mark is looked for. Written on its own, not taken from the product's list: what that one forgets
 * is to be found.
 */
export const NEEDLES: readonly Needle[] = [MARK, SHORT].flatMap((text) => formsOf(text));

/**
 * The forms that a process could hold in memory without having looked for them; of the short secret, which goes with the
 * others everywhere, the plain ones: each costs a second of search for some gigabytes.
 */
export const MEMORY_NEEDLES: readonly Needle[] = NEEDLES.filter(({ form }) =>
  (form.endsWith(MARK) ? /^(?:plain|UTF-16LE|hex|base64 at)/ : /^(?:plain|UTF-16LE)/).test(form),
);

function formsOf(text: string): readonly Needle[] {
  const bytes = Buffer.from(text);
  const each = (change: (byte: number) => string): string => [...bytes].map(change).join("");
  const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
  const forms: readonly (readonly [string, string | Buffer])[] = [
    ["plain", text],
    ["UTF-16LE", Buffer.from(text, "utf16le")],
    ["UTF-16BE", Buffer.from(text, "utf16le").swap16()],
    ["hex", bytes.toString("hex")],
    ["hex, capital", bytes.toString("hex").toUpperCase()],
    ["hex, spaced", each((byte) => ` ${hex(byte)}`).slice(1)],
    ["in lower case", text.toLowerCase()],
    ["in capitals", text.toUpperCase()],
    ["list of bytes", bytes.join(",")],
    ["string of C", each((byte) => `\\x${hex(byte)}`)],
    ["string of C, octal", each((byte) => `\\${byte.toString(8)}`)],
    ["quoted-printable", each((byte) => `=${hex(byte).toUpperCase()}`)],
    ["percent", encodeURIComponent(text)],
    ["percent, all", each((byte) => `%${hex(byte)}`)],
    ["percent, all, capital", each((byte) => `%${hex(byte).toUpperCase()}`)],
    ["JSON", JSON.stringify(text).slice(1, -1)],
    ["JSON, all", each((byte) => `\\u00${hex(byte)}`)],
    ["JSON, all, capital", each((byte) => `\\u00${hex(byte).toUpperCase()}`)],
    ["HTML", text.replace(/[&<>"'!]/g, (character) => `&#${character.charCodeAt(0)};`)],
    ["HTML, decimal", each((byte) => `&#${byte};`)],
    ["HTML, hex", each((byte) => `&#x${hex(byte)};`)],
    ...[0, 1, 2].map((at) => [`base64 at ${at}`, base64Core(bytes, at, "base64")] as const),
    ...[0, 1, 2].map((at) => [`base64url at ${at}`, base64Core(bytes, at, "base64url")] as const),
  ];
  const seen = new Set<string>();
  return forms.flatMap(([form, made]) => {
    const needle = Buffer.from(made);
    const key = needle.toString("hex");
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ form: `${form} of ${text}`, bytes: needle }];
  });
}

/** What of the base64 does not depend on the bytes around, where `at` bytes of the first group come before. */
function base64Core(bytes: Buffer, at: number, encoding: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(at), bytes]).toString(encoding);
  const end = Math.floor(((at + bytes.length) * 8) / 6);
  return text.slice(Math.ceil((at * 8) / 6), end);
}
