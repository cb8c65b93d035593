/** Text of a workspace, made safe to show on a terminal: a stranger's folder must not be able to move the cursor or hide a line. */

// Control characters but for tab and line feed, and the characters that turn the writing direction (Unicode TR 9).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with control and direction characters written as `\u001b`; line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text on one line of at most `maxCharacters`, with an ellipsis where something is left out. */
export function oneLine(text: string, maxCharacters: number): string {
  const flat = visible(text.replace(/\s+/g, " ").trim());
  return flat.length <= maxCharacters ? flat : `${flat.slice(0, maxCharacters - 1).trimEnd()}…`;
}

/** The first clause of a text, up to a full stop, colon or semicolon; what a table has room for. */
export function firstClause(text: string, maxCharacters: number): string {
  const [clause = ""] = text.trim().split(/[.:;](?=\s|$)/, 1);
  return oneLine(clause, maxCharacters);
}
