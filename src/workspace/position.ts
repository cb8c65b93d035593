/** Places in files: from offsets to line and column. */
import type { Place } from "../core/problem.ts";
import { cutText } from "../core/text.ts";

/** Longest line kept with a place, in UTF-16 units; a minified file must not travel with each of its problems. */
const MAX_SOURCE_LINE = 2_000;

/** The place of an offset in one text. */
export type PlaceFinder = (offset: number) => Place;

/** Finds places in a text. Lines end with LF, CRLF or CR; line and column count from 1. The lines are looked up once. */
export function placesIn(file: string, text: string): PlaceFinder {
  let starts: readonly number[] | undefined;
  // A file of one long line has many places in it; none of them may cost the whole line, and all share what is kept of it.
  let last = { line: -1, sourceLine: "" };
  return (offset) => {
    starts ??= lineStarts(text);
    const at = Math.min(Math.max(offset, 0), text.length);
    const line = lastAtMost(starts, at);
    const start = starts[line] ?? 0;
    if (line !== last.line) last = { line, sourceLine: lineText(text, start, starts[line + 1] ?? text.length) };
    return { kind: "position", file, line: line + 1, column: at - start + 1, sourceLine: last.sourceLine };
  };
}

/** A line without its end, cut. */
function lineText(text: string, start: number, next: number): string {
  const end = Math.min(next, start + MAX_SOURCE_LINE + 2);
  return cutText(text.slice(start, end).replace(/[\r\n]+$/, ""), MAX_SOURCE_LINE);
}

/** A place by line and column, both from 1, with the lines around it. For files that are code: a line of settings may hold a key. */
export function placeWithLines(file: string, text: string, line: number, column: number): Place {
  const lines = text.split(/\r\n|\n|\r/);
  const at = (number: number): string | undefined => {
    const found = lines[number - 1];
    return found === undefined ? undefined : cutText(found, MAX_SOURCE_LINE);
  };
  const before = at(line - 1);
  const after = at(line + 1);
  return {
    kind: "position",
    file,
    line,
    column,
    sourceLine: at(line) ?? "",
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** The same place without the text of its line, for lines that may hold a header's value. */
export function withoutSourceLine(place: Place): Place {
  return place.kind === "position" ? { ...place, sourceLine: "" } : place;
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), (match) => match.index + match[0].length)];
}

/** Index of the last start that is not behind `offset`. */
function lastAtMost(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
