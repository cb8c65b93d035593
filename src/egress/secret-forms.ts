/**
 * The spellings under which a server, a library or an encoder may give a secret back. What is not here is not masked:
 * values that were cut, reversed, encrypted or compressed inside a body (docs/security.md says so).
 */

/** One spelling, as bytes. */
export interface SecretForm {
  readonly bytes: Buffer;
  /**
   * Base64 in which the character before also holds bits of the value, mixed with those of its neighbour: unknown here,
   * and masked together with the form.
   */
  readonly mixesBefore: boolean;
  /** The same for the character after it. */
  readonly mixesAfter: boolean;
}

/** Shorter values are not masked: replacing "1234" everywhere would destroy answers. In UTF-16 units. */
const MIN_MASKED_CHARACTERS = 8;

/**
 * Longer values are looked for in the usual notations only, not in those that stand each character for six, nor in
 * one notation inside another: 64 KiB would make 13 MB of forms, a third of a second for a call. In UTF-16 units.
 */
const MAX_FULLY_MASKED_CHARACTERS = 4_096;

/** Every form to look for, without duplicates, each of at least 8 bytes; empty for a value under {@link MIN_MASKED_CHARACTERS}. */
export function secretForms(value: string): readonly SecretForm[] {
  if (value.length < MIN_MASKED_CHARACTERS) return [];
  const isLong = value.length > MAX_FULLY_MASKED_CHARACTERS;
  // Servers drop blanks at the ends of a header's value; none is stored any more, but a vault may hold older ones.
  const plain = [...new Set([value, value.trim()])];
  const spelled = plain.flatMap((text) => [text, ...basicCredentials(text)]);
  const forms: Forms = new Map();
  for (const text of [...spelled, ...plain.flatMap((text) => [text.toLowerCase(), text.toUpperCase()])]) {
    if (text.length < MIN_MASKED_CHARACTERS) continue;
    for (const form of isLong ? usualTextForms(text) : allTextForms(text)) addForm(forms, Buffer.from(form, "utf8"));
  }
  // The byte sequences that a value can become: header bytes and UTF-8.
  for (const encoding of ["latin1", "utf8"] as const) {
    for (const text of spelled) addByteForms(forms, Buffer.from(text, encoding));
  }
  addForm(forms, Buffer.from(value, "utf16le"));
  addForm(forms, Buffer.from(value, "utf16le").swap16());
  return [...forms.values()];
}

/** Forms by their bytes, read as Latin-1. */
type Forms = Map<string, { readonly bytes: Buffer; mixesBefore: boolean; mixesAfter: boolean }>;

function addForm(forms: Forms, bytes: Buffer, mixesBefore = false, mixesAfter = false): void {
  if (bytes.length < MIN_MASKED_CHARACTERS) return;
  const key = bytes.toString("latin1");
  const known = forms.get(key);
  if (known === undefined) {
    forms.set(key, { bytes, mixesBefore, mixesAfter });
    return;
  }
  known.mixesBefore ||= mixesBefore;
  known.mixesAfter ||= mixesAfter;
}

/** Of `Basic BASE64` also what it holds: `user:password`, and the password alone. */
function basicCredentials(value: string): readonly string[] {
  const encoded = /^(?:basic\s+)?([A-Za-z0-9+/]+={0,2})$/iu.exec(value)?.[1];
  if (encoded === undefined) return [];
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0 || !/^[\x20-\x7e\u00a0-\u{10ffff}]+$/u.test(decoded) || decoded.includes("\ufffd")) return [];
  return [decoded, decoded.slice(colon + 1)].filter((text) => text.length >= MIN_MASKED_CHARACTERS);
}

/** Spellings of the text in other notations; what is the same as another is dropped by who takes them. */
function allTextForms(text: string): ReadonlySet<string> {
  const forms = new Set([text, ...usualTextForms(text)]);
  for (const encoded of [...percentForms(text), percentAll(text)]) {
    forms.add(encoded);
    forms.add(withLowerHex(encoded));
  }
  for (const escaped of jsonForms(text)) {
    forms.add(escaped);
    // JSON text inside a JSON string.
    forms.add(JSON.stringify(escaped).slice(1, -1));
  }
  for (const escaped of htmlForms(text)) forms.add(escaped);
  for (const numeric of numericEntities(text)) forms.add(numeric);
  return forms;
}

/** The spellings that encoders give by themselves; all of them together are a few times as long as the text. */
function usualTextForms(text: string): ReadonlySet<string> {
  const forms = new Set([text]);
  for (const encoded of percentForms(text)) {
    forms.add(encoded);
    forms.add(withLowerHex(encoded));
  }
  const plain = JSON.stringify(text).slice(1, -1);
  for (const escaped of [plain, plain.replaceAll("/", "\\/")]) forms.add(escaped).add(escapedUnicode(escaped, /[^\x20-\x7e]/g, false));
  for (const escaped of htmlForms(text).slice(0, 4)) forms.add(escaped);
  // Header bytes above 0x7F that were read as UTF-8.
  forms.add(Buffer.from(text, "latin1").toString("utf8"));
  return forms;
}

function percentForms(text: string): readonly string[] {
  const wellFormed = text.toWellFormed();
  const component = encodeURIComponent(wellFormed);
  const strict = component.replace(/[!'()*]/gu, percentOf);
  const form = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  // Between "encode what a path allows" and "encode everything" lies encodeURI.
  return [component, strict, form, component.replaceAll("%20", "+"), encodeURI(wellFormed)];
}

function percentAll(text: string): string {
  return Buffer.from(text, "utf8").toString("hex").toUpperCase().replace(/../gu, "%$&");
}

function withLowerHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase());
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function jsonForms(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const slashes = plain.replaceAll("/", "\\/");
  const forms = [plain, slashes];
  for (const isUpper of [false, true]) {
    for (const from of [plain, slashes]) {
      forms.push(escapedUnicode(from, /[^\x20-\x7e]/g, isUpper), escapedUnicode(from, /[^\x20-\x7e]|[<>&'+=]/g, isUpper));
    }
    forms.push(escapedUnicode(text, /[\s\S]/g, isUpper), escapedUnicode(text, /[^A-Za-z0-9]/g, isUpper));
  }
  return forms;
}

/** The text with `\uXXXX` for every UTF-16 unit that the pattern finds. */
function escapedUnicode(text: string, pattern: RegExp, isUpper: boolean): string {
  return text.replace(pattern, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpper ? code.toUpperCase() : code}`;
  });
}

function htmlForms(text: string): readonly string[] {
  const named = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quotes: readonly (readonly [string, string])[] = [
    ['"', "'"],
    ["&quot;", "'"],
    ["&quot;", "&#39;"],
    ["&quot;", "&#x27;"],
    ["&quot;", "&#039;"],
    ["&quot;", "&apos;"],
    ["&#34;", "&#39;"],
    ["&#x22;", "&#x27;"],
  ];
  const forms = quotes.map(([double, single]) => named.replaceAll('"', double).replaceAll("'", single));
  return [...forms, ...forms.map((form) => form.replaceAll("/", "&#x2F;"))];
}

function numericEntities(text: string): readonly string[] {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return [codes.map((code) => `&#${code};`).join(""), codes.map((code) => `&#x${code.toString(16)};`).join("")];
}

function addByteForms(forms: Forms, bytes: Buffer): void {
  addForm(forms, bytes);
  const hex = bytes.toString("hex");
  addForm(forms, Buffer.from(hex, "latin1"));
  addForm(forms, Buffer.from(hex.toUpperCase(), "latin1"));
  addBase64Forms(forms, bytes);
}

/**
 * Base64 and base64url at the three places a value can begin within a group of three bytes. Characters at the edges
 * that also hold bits of the neighbours differ with these: they are not part of the form.
 */
function addBase64Forms(forms: Forms, bytes: Buffer): void {
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const bits = (before + bytes.length) * 8;
    const url = text.slice(before === 0 ? 0 : before + 1, Math.floor(bits / 6));
    const plain = url.replaceAll("-", "+").replaceAll("_", "/");
    // JSON may escape the slash, a URL must escape both.
    for (const form of [url, plain, plain.replaceAll("/", "\\/"), encodeURIComponent(plain), withLowerHex(encodeURIComponent(plain))]) {
      addForm(forms, Buffer.from(form, "latin1"), before !== 0, bits % 6 !== 0);
    }
  }
}
