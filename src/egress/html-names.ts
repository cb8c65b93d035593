/** Names of HTML for the characters that a secret can have (HTML Living Standard, 13.5): U+0020 to U+00FF. */

/** U+00A0 to U+00FF, in their order (HTML 4.01, 24.2.1). */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Other names of these, which PHP writes for HTML 5. */
const LATIN_1_TOO: readonly (readonly [character: string, names: string])[] = [
  ["\u00a0", "NonBreakingSpace"],
  ["\u00a8", "die Dot DoubleDot"],
  ["\u00a9", "COPY"],
  ["\u00ae", "REG circledR"],
  ["\u00af", "strns"],
  ["\u00b1", "pm PlusMinus"],
  ["\u00b4", "DiacriticalAcute"],
  ["\u00b7", "centerdot CenterDot"],
  ["\u00b8", "Cedilla"],
  ["\u00bd", "half"],
  ["\u00c5", "angst"],
  ["\u00f7", "div"],
];

/** Signs of ASCII, each with its names. */
const ASCII: readonly (readonly [character: string, names: string])[] = [
  ["\t", "Tab"],
  ["\n", "NewLine"],
  ["!", "excl"],
  ['"', "quot QUOT"],
  ["#", "num"],
  ["$", "dollar"],
  ["%", "percnt"],
  ["&", "amp AMP"],
  ["'", "apos"],
  ["(", "lpar"],
  [")", "rpar"],
  ["*", "ast midast"],
  ["+", "plus"],
  [",", "comma"],
  [".", "period"],
  ["/", "sol"],
  [":", "colon"],
  [";", "semi"],
  ["<", "lt LT"],
  ["=", "equals"],
  [">", "gt GT"],
  ["?", "quest"],
  ["@", "commat"],
  ["[", "lsqb lbrack"],
  ["\\", "bsol"],
  ["]", "rsqb rbrack"],
  ["^", "Hat"],
  ["_", "lowbar UnderBar"],
  ["`", "grave DiacriticalGrave"],
  ["{", "lcub lbrace"],
  ["|", "verbar vert VerticalLine"],
  ["}", "rcub rbrace"],
];

const CODES: ReadonlyMap<string, number> = new Map([
  ...LATIN_1.split(" ").map((name, index) => [name, 0xa0 + index] as const),
  ...[...LATIN_1_TOO, ...ASCII].flatMap(([character, names]) => names.split(" ").map((name) => [name, character.charCodeAt(0)] as const)),
]);

/** Characters of the longest name that is known here. */
export const LONGEST_NAME = Math.max(...[...CODES.keys()].map((name) => name.length));

/** The code of the character whose name stands from `from` to `to`; undefined for a name that stands for none of these. */
export function characterOfName(bytes: Uint8Array, from: number, to: number): number | undefined {
  let hash = 0;
  for (let at = from; at < to; at++) hash = hashOn(hash, bytes[at] ?? 0);
  const found = BY_HASH.get(hash);
  if (found?.name.length !== to - from) return undefined;
  for (let at = from; at < to; at++) if (found.name.charCodeAt(at - from) !== bytes[at]) return undefined;
  return found.code;
}

/** Without making a string of each: a page has thousands of them. No two of these names have the same hash. */
const BY_HASH: ReadonlyMap<number, { readonly name: string; readonly code: number }> = new Map(
  [...CODES].map(([name, code]) => [Buffer.from(name, "latin1").reduce(hashOn, 0), { name, code }]),
);

function hashOn(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}
