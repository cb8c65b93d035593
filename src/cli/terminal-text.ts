/** Text of a workspace as tables and lists of the command line show it. */
import { visible } from "../core/visible-text.ts";

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
