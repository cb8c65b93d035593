// Control characters but for tab and line feed, the other line breaks of Unicode, and the characters that turn the writing
// direction (Unicode TR 9). JSON text may hold those above U+007F as they are, and terminals act on them there too.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The text with control and direction characters written as `\u001b`; line feeds and tabs stay. A stranger's folder, or an
 * answer from the web, must not move the cursor or hide a line. JSON text stays the same JSON.
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
