/** Text of a workspace as tables and lists of the command line show it. */
import { visible } from "../core/visible-text.ts";

/**
 * A name or key of a file, or another text that has one line by nature: as `visible`, and line feeds and tabs are written so
 * too. A name must not begin a row of its own, nor move what stands behind it.
 */
export function visibleName(text: string): string {
  return visible(text).replace(/[\n\t]/g, (character) => (character === "\n" ? "\\u000a" : "\\u0009"));
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
