import { characterStart } from "../core/text.ts";
import type { PageRange } from "../core/tool.ts";

/** A part of a text; see {@link cutPage}. */
export interface TextPage {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset?: number;
}

/**
 * The part of the text that begins at `offset` and has at most `limit` UTF-16 units, whole characters only: it begins
 * one unit earlier where `offset` is inside of a surrogate pair, and has at least one character, so that reading on always
 * ends. Past the end of the text it is empty.
 */
export function cutPage(text: string, { offset = 0, limit = text.length }: PageRange): TextPage {
  const start = characterStart(text, Math.min(Math.max(0, offset), text.length));
  const wanted = characterStart(text, Math.min(start + Math.max(1, limit), text.length));
  const end = wanted > start ? wanted : Math.min(start + 2, text.length);
  return { text: text.slice(start, end), offset: start, ...(end < text.length ? { nextOffset: end } : {}) };
}
