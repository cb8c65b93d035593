/** Characters that a person does not see but a model reads: a way to hide instructions in a tool's description. */

/** What a text has of them. `refused` makes a tool unusable, `warned` is told. Items look like `U+E0041`, each once, at most 5. */
export interface HiddenCharacters {
  readonly refused: readonly string[];
  readonly warned: readonly string[];
}

/** Tag characters spell invisible ASCII; direction controls show text in another order than it is read. */
const REFUSED = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069]/gu;

/** Everything else that has no glyph: format and control characters, variation selectors, private use. */
const WARNED = /[\p{Cf}\p{Co}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]|(?![\t\n\r])\p{Cc}/gu;

/** Joiners inside emoji, and the selector that makes a symbol an emoji, are how emoji are written. */
const EMOJI_PARTS =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?(?:\u200D\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)*|[0-9#*]\uFE0F\u20E3/gu;

/** Most characters named in one finding. */
const MAX_NAMED = 5;

/** Text of characters that are all seen; most text is, and a workspace may have a thousand pieces of it. */
const ALL_SEEN = /^[\t\n\r\x20-\x7e]*$/;

/** The hidden characters of a text. */
export function findHiddenCharacters(text: string): HiddenCharacters {
  if (ALL_SEEN.test(text)) return { refused: [], warned: [] };
  const refused = text.match(REFUSED) ?? [];
  const warned = text.replaceAll(REFUSED, "").replaceAll(EMOJI_PARTS, "").match(WARNED) ?? [];
  return { refused: namesOf(refused), warned: namesOf(warned) };
}

/** The text with each refused character as `\\u{E0041}`, so that what it hid is seen to be there and spells nothing. */
export function showHidden(text: string): string {
  return text.replace(REFUSED, (character) => `\\u{${hexOf(character)}}`);
}

function namesOf(characters: readonly string[]): readonly string[] {
  return [...new Set(characters)].slice(0, MAX_NAMED).map((character) => `U+${hexOf(character)}`);
}

function hexOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code.toString(16).toUpperCase().padStart(4, "0");
}
