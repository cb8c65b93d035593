/**
 * Encoders of texts as other programs write them, each in its own words: nothing here comes from the product, so that what
 * it does not know is missed there and not here. Given what they imitate: JavaScript, Python, Java, .NET, Go, PHP.
 */

type Encoder = (text: string) => string;

const hexOf = (byte: number, digits = 2): string => byte.toString(16).padStart(digits, "0");
const replaceUnits = (text: string, pattern: RegExp, write: (code: number) => string): string =>
  text.replace(pattern, (unit) => write(unit.charCodeAt(0)));
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const lowerU = (code: number): string => `\\u${hexOf(code, 4)}`;
const upperU = (code: number): string => `\\u${hexOf(code, 4).toUpperCase()}`;

/** Python's `urllib.parse.quote`: everything but letters, digits, `_.-~` and, by default, the slash. */
function pythonQuote(text: string, bytes: Uint8Array = new TextEncoder().encode(text)): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_.~/-]/u.test(character) ? character : `%${hexOf(byte).toUpperCase()}`;
  }).join("");
}

function html(text: string, quote: string, apostrophe: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': quote, "'": apostrophe };
  return text.replace(/[&<>"']/gu, (character) => names[character] ?? character);
}

/** Names of HTML 4 for a few letters; the rest as numbers. */
const NAMES: Readonly<Record<string, string>> = {
  "\u00e4": "auml",
  "\u00f6": "ouml",
  "\u00fc": "uuml",
  "\u00df": "szlig",
  "\u00e9": "eacute",
};

/** Encoders that write character for character; values must be without characters beyond U+00FF. */
export const TEXT_ENCODERS: Readonly<Record<string, Encoder>> = {
  "as it is": (text) => text,
  encodeURIComponent: (text) => encodeURIComponent(text),
  "encodeURIComponent, small": (text) => encodeURIComponent(text).replace(/%../gu, (code) => code.toLowerCase()),
  "Python quote": (text) => pythonQuote(text),
  "Python quote of Latin-1": (text) => pythonQuote(text, Buffer.from(text, "latin1")),
  "a form": (text) => new URLSearchParams([["k", text]]).toString().slice(2),
  "percent throughout": (text) => Array.from(Buffer.from(text), (byte) => `%${hexOf(byte)}`).join(""),
  JSON: inJson,
  "JSON of PHP": (text) => replaceUnits(inJson(text).replaceAll("/", "\\/"), /[^\x20-\x7e]/g, lowerU),
  "JSON of .NET": (text) => replaceUnits(inJson(text).replaceAll('\\"', "\\u0022"), /[^\x20-\x7e]|[<>&'+`]/g, upperU),
  "JSON of Gson": (text) => replaceUnits(inJson(text), /[<>&'=]/g, lowerU),
  "JSON of Go": (text) => replaceUnits(inJson(text), /[<>&]/g, lowerU),
  "JSON throughout": (text) => replaceUnits(text, /[\s\S]/g, lowerU),
  "a Python literal": (text) => replaceUnits(text.replace(/[\\']/gu, "\\$&"), /[^\x20-\x7e]/g, (code) => `\\x${hexOf(code)}`),
  "a literal of bytes": (text) =>
    Array.from(Buffer.from(text.replace(/[\\']/gu, "\\$&")), (byte) =>
      byte > 0x7e || byte < 0x20 ? `\\x${hexOf(byte)}` : String.fromCharCode(byte),
    ).join(""),
  "octal of C": (text) =>
    Array.from(Buffer.from(text.replace(/[\\"]/gu, "\\$&")), (byte) =>
      byte > 0x7e || byte < 0x20 ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte),
    ).join(""),
  HTML: (text) => html(text, "&quot;", "&#39;"),
  "HTML of Django": (text) => html(text, "&quot;", "&#x27;"),
  "HTML of PHP": (text) => html(text, "&quot;", "&#039;"),
  "HTML, numbers beyond ASCII": (text) => replaceUnits(html(text, "&#34;", "&apos;"), /[^\x20-\x7e]/g, (code) => `&#${code};`),
  "HTML, names beyond ASCII": (text) =>
    html(text, "&quot;", "&#39;").replace(/[^\x20-\x7e]/gu, (unit) => `&${NAMES[unit] ?? `#${unit.charCodeAt(0)}`};`),
  "HTML throughout": (text) => replaceUnits(text, /[\s\S]/g, (code) => `&#${code};`),
  "HTML throughout, hex with zeros": (text) => replaceUnits(text, /[\s\S]/g, (code) => `&#X00${hexOf(code).toUpperCase()};`),
};

/** What a single character can be written as, beside itself. */
export const CHARACTER_ENCODERS: readonly Encoder[] = [
  (text) => Array.from(Buffer.from(text), (byte) => `%${hexOf(byte)}`).join(""),
  (text) => Array.from(Buffer.from(text, "latin1"), (byte) => `%${hexOf(byte).toUpperCase()}`).join(""),
  (text) => Array.from(Buffer.from(text), (byte) => `%2525${hexOf(byte)}`).join(""),
  (text) => lowerU(text.charCodeAt(0)),
  (text) => upperU(text.charCodeAt(0)),
  (text) => `\\x${hexOf(text.charCodeAt(0))}`,
  (text) => `\\u{${text.charCodeAt(0).toString(16)}}`,
  (text) => `&#${text.charCodeAt(0)};`,
  (text) => `&#0${text.charCodeAt(0)};`,
  (text) => `&#x${hexOf(text.charCodeAt(0))};`,
];

/** Encoders of a text as a whole: the letters that come out are those of no single character. */
export const WHOLE_ENCODERS: Readonly<Record<string, Encoder>> = {
  hex: (text) => Array.from(Buffer.from(text), (byte) => hexOf(byte)).join(""),
  "hex, capital": (text) => Array.from(Buffer.from(text), (byte) => hexOf(byte).toUpperCase()).join(""),
  base64: (text) => btoa(String.fromCharCode(...Buffer.from(text))),
  base64url: (text) =>
    btoa(String.fromCharCode(...Buffer.from(text)))
      .replace(/=+$/u, "")
      .replace(/[+/]/gu, (sign) => (sign === "+" ? "-" : "_")),
};
