/** Findings as people read them: place, weight, code, message, and the line of the file with a caret under the place. */
import type { JsonObject } from "../core/json.ts";
import { type Place, type Problem, placeText, problemData } from "../core/problem.ts";
import { visible } from "../core/visible-text.ts";
import type { Paint } from "./io.ts";
import { visibleName } from "./terminal-text.ts";

/** Most characters of a source line that are shown; the part around the caret is. */
const MAX_SOURCE = 120;

/** Lines for a list of findings, columns aligned. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  const placeWidth = widest(problems.map((problem) => visibleName(placeText(problem.place))));
  const codeWidth = widest(problems.map((problem) => problem.code));
  return problems.flatMap((problem) => {
    const place = visibleName(placeText(problem.place));
    const tone = problem.severity === "error" ? "bad" : "warning";
    const head = [
      ...(placeWidth === 0 ? [] : [paint("strong", place.padEnd(placeWidth))]),
      paint(tone, problem.severity.padEnd("warning".length)),
      problem.code.padEnd(codeWidth),
    ];
    const [first = "", ...more] = messageLines(problem);
    return [
      `${head.join("  ")}  ${first}`,
      ...more.map((line) => `     ${line}`),
      ...caretLines(problem.place, paint),
      ...mendLines(problem),
    ];
  });
}

/** The JSON of `check` and `doctor`; `extra` holds what else they count. */
export function problemReport(problems: readonly Problem[], extra: JsonObject): JsonObject {
  return { problems: problems.map(problemData), ...extra };
}

/** True if a finding stops something from working. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

/** A finding about a file is one line, so a line feed in it is of a key or name there; what failed otherwise may have several. */
function messageLines({ place, tool, offer, message }: Problem): string[] {
  const subject = tool ?? offer;
  const text = subject === undefined || message.startsWith(`${subject}:`) ? message : `${subject}: ${message}`;
  return place.kind === "none" ? visible(text).split("\n") : [visibleName(text)];
}

function mendLines({ mend, message }: Problem): string[] {
  return mend === undefined || message.includes(mend) ? [] : [`     ${visible(mend)}`];
}

function caretLines(place: Place, paint: Paint): string[] {
  // The loader withholds lines that may hold a key; a caret under nothing points nowhere.
  if (place.kind !== "position" || place.sourceLine.trim() === "") return [];
  const start = Math.max(0, Math.min(place.column - 1 - MAX_SOURCE / 2, place.sourceLine.length - MAX_SOURCE));
  const shown = place.sourceLine.slice(start, start + MAX_SOURCE);
  const before = shown.slice(0, place.column - 1 - start);
  // Tabs are kept as tabs, so that the caret stands under its place whatever their width.
  const indent = visible(before).replace(/[^\t]/g, " ");
  const lineOf = (number: number, text: string): string => paint("quiet", `${String(number).padStart(5)} | ${visible(text)}`.trimEnd());
  const beside = (number: number, text: string | undefined): string[] =>
    text === undefined ? [] : [lineOf(number, text.length <= MAX_SOURCE ? text : text.slice(start, start + MAX_SOURCE))];
  return [
    ...beside(place.line - 1, place.before),
    lineOf(place.line, shown),
    paint("quiet", `${" ".repeat(5)} | `) + paint("strong", `${indent}^`),
    ...beside(place.line + 1, place.after),
  ];
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
