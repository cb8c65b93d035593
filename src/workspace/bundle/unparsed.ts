/** Where in the author's files a text is that the bundler made and a parser refuses. */
import type { Problem } from "../../core/problem.ts";
import { parseText } from "../parse-text.ts";
import { placeWithLines } from "../position.ts";
import { createPlaceMapper } from "./source-places.ts";

/** A text that was made of files. */
export interface MadeText {
  readonly code: string;
  /** Absent: the text is that of the file. */
  readonly map?: string;
  /** The script it was made for, which is told where no place is found. */
  readonly file: string;
  /** Texts of the author's own files, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * The problem of a bundle of which V8 says that it does not parse. V8 tells no column in lines as long as a bundle's, so the place
 * is that which our own parser finds.
 */
export function refusedProblem(refusal: string, made: MadeText): Problem {
  const parsed = parseText(made.code, { sourceType: "script", strict: true });
  const message = `${refusal.replace(/[.:]$/, "")}.`;
  return parsed.ok
    ? { code: "SYNTAX", severity: "error", place: { kind: "file", file: made.file }, message }
    : problemAt(parsed.offset, message, made);
}

/** The problem of a fault at an offset of the text. */
export function problemAt(offset: number, message: string, { code, map, file, texts }: MadeText): Problem {
  const before = code.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  const found = map === undefined ? { file, line, column } : createPlaceMapper(map)(line, column);
  const problem = { code: "SYNTAX", severity: "error", message } as const;
  if (found === undefined) return { ...problem, place: { kind: "file", file } };
  const text = texts.get(found.file);
  const place =
    text === undefined
      ? ({ kind: "position", file: found.file, line: found.line, column: found.column, sourceLine: "" } as const)
      : placeWithLines(found.file, text, found.line, found.column);
  return { ...problem, place };
}
