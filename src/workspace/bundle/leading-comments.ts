import type { ScriptComment } from "../script-timeout.ts";

/** The comments before the first statement of a text in JavaScript or TypeScript, a `#!` line not counted. */
export function leadingComments(text: string): readonly ScriptComment[] {
  const comments: ScriptComment[] = [];
  let at = text.startsWith("#!") ? endOfLine(text, 0) : 0;
  for (;;) {
    at += /^[\s\uFEFF]*/.exec(text.slice(at, at + MOST_BLANKS))?.[0].length ?? 0;
    const opening = text.slice(at, at + 2);
    if (opening !== "//" && opening !== "/*") return comments;
    const end = opening === "//" ? endOfLine(text, at) : text.indexOf("*/", at + 2);
    if (end < 0) return comments;
    comments.push({ text: text.slice(at + 2, end), offset: at + 2 });
    at = opening === "//" ? end : end + 2;
  }
}

/** Blanks between two comments that are skipped; a file that has more has no time limit behind them. */
const MOST_BLANKS = 10_000;

function endOfLine(text: string, from: number): number {
  const end = text.slice(from).search(/[\n\r\u2028\u2029]/);
  return end < 0 ? text.length : from + end;
}
