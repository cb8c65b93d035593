import { visible } from "./visible-text.ts";

/** A text as one word of a POSIX shell, for commands that people paste; what a terminal would obey is shown escaped. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${visible(text).replaceAll("'", String.raw`'\''`)}'`;
}
