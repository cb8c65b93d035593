/**
 * The byte sequences under which a server, a library or an encoder may give a secret back, once escapes are undone
 * (`layered-search.ts`). What is not here is not masked: values that were cut, reversed, encrypted or compressed inside a body.
 * docs/security.md lists both.
 */
import { unescaped } from "./unescape.ts";

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
 * Of longer values no encoding within an encoding is looked for: 64 KiB would make tens of MB of forms, a second for a call. In
 * UTF-16 units.
 */
const MAX_NESTED_CHARACTERS = 4_096;

/** Every form to look for, without duplicates, each of at least 8 bytes; empty for a value under {@link MIN_MASKED_CHARACTERS}. */
export function secretForms(value: string): readonly SecretForm[] {
  if (value.length < MIN_MASKED_CHARACTERS) return [];
  // Servers drop blanks at the ends of a header's value; none is stored any more, but a vault may hold older ones.
  const plain = [...new Set([value, value.trim()])];
  const spelled = plain.flatMap((text) => [text, ...basicCredentials(text)]).filter((text) => text.length >= MIN_MASKED_CHARACTERS);
  const forms: Forms = new Map();
  for (const text of [...spelled, ...plain.flatMap((text) => [text.toLowerCase(), text.toUpperCase()])]) addTextForms(forms, text);
  for (const text of spelled) {
    for (const bytes of byteSequences(text)) addEncodedForms(forms, bytes);
    if (text.length <= MAX_NESTED_CHARACTERS) addNestedForms(forms, text);
  }
  addForm(forms, Buffer.from(value, "utf16le"));
  addForm(forms, Buffer.from(value, "utf16le").swap16());
  return [...forms.values()];
}

/** What the text can become: header bytes and UTF-8. */
function byteSequences(text: string): readonly Buffer[] {
  return [Buffer.from(text, "latin1"), Buffer.from(text, "utf8")];
}

/** The text as it stands where nothing is escaped, and where all escapes have been undone. */
function addTextForms(forms: Forms, text: string): void {
  // Forms of HTML and URLs have "+" for a blank. Header bytes above 0x7F that were read as UTF-8 are lost to U+FFFD.
  // SQL and CSV write a quote twice.
  const quoted = [text.replaceAll('"', '""'), text.replaceAll("'", "''")];
  // The sign at its end begins an escape with what follows it, where the text is searched without escapes.
  const cut = text.replace(/(?:\\|%[0-9a-f]?|&)$/iu, "");
  const others = [text.replaceAll(" ", "+"), Buffer.from(text, "latin1").toString("utf8"), cut, ...quoted];
  for (const bytes of [text, ...others].flatMap(byteSequences)) {
    addForm(forms, bytes);
    // A value may hold what looks like an escape; the search undoes that too.
    let undone = unescaped(bytes);
    for (let round = 0; round < UNDONE_ROUNDS && !forms.has(undone.toString("latin1")); round++) {
      addForm(forms, undone);
      undone = unescaped(undone);
    }
  }
}

/** As many layers as the search takes off. */
const UNDONE_ROUNDS = 3;

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

/** Hex and base64 of the bytes. */
function addEncodedForms(forms: Forms, bytes: Uint8Array): void {
  for (const hex of hexForms(bytes)) addForm(forms, hex);
  for (const { bytes: encoded, mixesBefore, mixesAfter } of base64Forms(bytes)) addForm(forms, encoded, mixesBefore, mixesAfter);
}

/** One encoding within another, where taking off escapes does not help: in base64 and hex. */
function addNestedForms(forms: Forms, text: string): void {
  const escaped = new Set(escapedTexts(text));
  // What stands as it is has its forms already.
  escaped.delete(text);
  for (const inner of escaped) addEncodedForms(forms, Buffer.from(inner, "latin1"));
  for (const bytes of byteSequences(text)) {
    for (const { bytes: encoded } of base64Forms(bytes)) addEncodedForms(forms, encoded);
    for (const hex of hexForms(bytes)) for (const form of base64Forms(hex)) addForm(forms, form.bytes, form.mixesBefore, form.mixesAfter);
  }
}

/** The text as encoders of URLs, JSON and HTML write it, as bytes read as Latin-1. */
function escapedTexts(text: string): readonly string[] {
  const wellFormed = text.toWellFormed();
  const component = encodeURIComponent(wellFormed);
  const strict = component.replace(/[!'()*]/gu, percentOf);
  const form = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  const json = utf8AsLatin1(JSON.stringify(wellFormed).slice(1, -1));
  // Python's quote and encodeURI leave the slash, the latter other signs too.
  const urls = [component, strict, form, component.replaceAll("%20", "+"), strict.replaceAll("%2F", "/"), encodeURI(wellFormed)];
  // Go escapes three signs of HTML, Gson the apostrophe and "=" too, .NET "+" and in capitals.
  const jsons = [
    json,
    json.replaceAll("/", "\\/"),
    escapedIn(json, /[<>&]/g),
    escapedIn(json, /[<>&'=]/g),
    escapedIn(json, /[<>&'+]/g, true),
  ];
  const html = utf8AsLatin1(wellFormed.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
  const htmls = ["&#39;", "&#x27;", "&#039;"].map((apostrophe) => html.replaceAll('"', "&quot;").replaceAll("'", apostrophe));
  return [...urls, ...urls.map(withLowerHex), ...jsons, html, ...htmls];
}

function utf8AsLatin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function escapedIn(json: string, pattern: RegExp, isUpper = false): string {
  return json.replace(pattern, (sign) => {
    const code = sign.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpper ? code.toUpperCase() : code}`;
  });
}

function withLowerHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase());
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function hexForms(bytes: Uint8Array): readonly Buffer[] {
  const hex = Buffer.from(bytes).toString("hex");
  return [Buffer.from(hex, "latin1"), Buffer.from(hex.toUpperCase(), "latin1")];
}

/**
 * Base64 and base64url at the three places a value can begin within a group of three bytes. Characters at the edges
 * that also hold bits of the neighbours differ with these: they are not part of the form.
 */
function base64Forms(bytes: Uint8Array): readonly SecretForm[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const bits = (before + bytes.length) * 8;
    const url = text.slice(before === 0 ? 0 : before + 1, Math.floor(bits / 6));
    const spellings = [url, url.replaceAll("-", "+").replaceAll("_", "/")];
    return spellings.map((form) => ({ bytes: Buffer.from(form, "latin1"), mixesBefore: before !== 0, mixesAfter: bits % 6 !== 0 }));
  });
}
