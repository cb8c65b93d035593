/**
 * The spellings under which a server, a library or an encoder may give a secret back. What is not here is not masked:
 * values that were cut, reversed, encrypted or compressed inside a body (docs/security.md says so).
 */

/** Shorter values are not masked: replacing "1234" everywhere would destroy answers. In UTF-16 units. */
const MIN_MASKED_CHARACTERS = 8;

/** Every form to look for, as bytes, without duplicates; empty for a value under {@link MIN_MASKED_CHARACTERS}. */
export function secretForms(value: string): readonly Buffer[] {
  if (value.length < MIN_MASKED_CHARACTERS) return [];
  const texts = new Set<string>();
  const variants = [value, value.toLowerCase(), value.toUpperCase(), ...basicCredentials(value)].filter(
    (text) => text.length >= MIN_MASKED_CHARACTERS,
  );
  for (const text of variants) addTextForms(texts, text);
  const forms = new Map<string, Buffer>();
  const add = (form: Buffer): void => void forms.set(form.toString("latin1"), form);
  for (const text of texts) add(Buffer.from(text, "utf8"));
  for (const bytes of valueBytes([value, ...basicCredentials(value)])) {
    add(bytes);
    for (const text of byteForms(bytes)) add(Buffer.from(text, "latin1"));
  }
  add(Buffer.from(value, "utf16le"));
  add(Buffer.from(value, "utf16le").swap16());
  return [...forms.values()].filter((form) => form.length >= MIN_MASKED_CHARACTERS);
}

/** Spellings of the text in other notations. */
function addTextForms(forms: Set<string>, text: string): void {
  forms.add(text);
  for (const encoded of percentForms(text)) {
    forms.add(encoded);
    forms.add(encoded.replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()));
  }
  for (const escaped of jsonForms(text)) {
    forms.add(escaped);
    // JSON text inside a JSON string.
    forms.add(JSON.stringify(escaped).slice(1, -1));
  }
  for (const escaped of htmlForms(text)) forms.add(escaped);
  // Header bytes above 0x7F that were read as UTF-8.
  forms.add(Buffer.from(text, "latin1").toString("utf8"));
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

function percentForms(text: string): readonly string[] {
  const wellFormed = text.toWellFormed();
  const component = encodeURIComponent(wellFormed);
  const strict = component.replace(/[!'()*]/gu, percentOf);
  const form = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  const all = [...Buffer.from(text, "utf8")].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  // Between "encode what a path allows" and "encode everything" lies encodeURI.
  return [component, strict, form, component.replaceAll("%20", "+"), encodeURI(wellFormed), all];
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function jsonForms(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const slashes = plain.replaceAll("/", "\\/");
  const unicode = (from: string, pattern: RegExp, upper: boolean): string =>
    from.replace(pattern, (character) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${upper ? code.toUpperCase() : code}`;
    });
  const forms = [plain, slashes];
  for (const from of [plain, slashes]) {
    for (const upper of [false, true]) {
      forms.push(unicode(from, /[^\x20-\x7e]/g, upper), unicode(from, /[^\x20-\x7e]|[<>&'+=]/g, upper));
    }
  }
  for (const upper of [false, true]) forms.push(unicode(text, /[\s\S]/g, upper), unicode(text, /[^A-Za-z0-9]/g, upper));
  return forms;
}

function htmlForms(text: string): readonly string[] {
  const named = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quotes: readonly (readonly [string, string])[] = [
    ['"', "'"],
    ["&quot;", "'"],
    ["&quot;", "&#39;"],
    ["&quot;", "&#039;"],
    ["&quot;", "&#x27;"],
    ["&quot;", "&apos;"],
    ["&#34;", "&#39;"],
    ["&#x22;", "&#x27;"],
  ];
  const forms = quotes.map(([double, single]) => named.replaceAll('"', double).replaceAll("'", single));
  const numeric = (radix: 10 | 16): string =>
    Array.from(text, (character) => `&#${radix === 16 ? "x" : ""}${(character.codePointAt(0) ?? 0).toString(radix)};`).join("");
  const slashed = forms.map((form) => form.replaceAll("/", "&#x2F;"));
  return [...forms, ...slashed, numeric(10), numeric(16)];
}

/** The byte sequences that a value can become: header bytes (latin1) and UTF-8. */
function valueBytes(values: readonly string[]): readonly Buffer[] {
  return values.flatMap((value) => [Buffer.from(value, "latin1"), Buffer.from(value, "utf8")]);
}

function byteForms(bytes: Buffer): readonly string[] {
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase(), ...base64Forms(bytes)];
}

/**
 * Base64 and base64url at the three places a value can begin within a group of three bytes. Characters at the edges
 * that also hold bits of the neighbours are left out, since they differ with these.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  const forms: string[] = [];
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const bits = (before + bytes.length) * 8;
    const url = text.slice(before === 0 ? 0 : before + 1, Math.floor(bits / 6));
    forms.push(url, url.replaceAll("-", "+").replaceAll("_", "/"));
  }
  // Lines of JSON escape the slash.
  return [...forms, ...forms.map((form) => form.replaceAll("/", "\\/")), ...forms.map((form) => encodeURIComponent(form))];
}
