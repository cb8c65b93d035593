/** Hidden characters in what a model or a person reads of a workspace: fields with them are refused, findings show them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Place, Problem } from "../core/problem.ts";
import type { BrokenTool } from "../core/tool.ts";
import { findHiddenCharacters, showHidden } from "./hidden-characters.ts";
import { below, problemAt, type Spot } from "./zod-problems.ts";

/** Invisible characters in these fields of an entry: those that hide text are errors, the others warnings. Keys count as text. */
export function hiddenTextProblems(entry: JsonObject, fields: readonly string[], spot: Spot): readonly Problem[] {
  return fields.flatMap((field) => {
    const value = entry[field];
    if (value === undefined) return [];
    const { refused, warned } = findHiddenCharacters(textsOf(value).join("\n"));
    const place = below(spot, field);
    if (refused.length > 0) {
      const message = `"${field}" hides text from people by invisible characters (${refused.join(", ")}). Remove them.`;
      return [problemAt(place, { code: "HIDDEN_CHARACTERS", message })];
    }
    if (warned.length === 0) return [];
    const message = `"${field}" has invisible characters (${warned.join(", ")}).`;
    return [problemAt(place, { code: "HIDDEN_CHARACTERS", severity: "warning", message })];
  });
}

/** The finding with hidden text in sight: it quotes names, keys and lines that nobody has accepted, and models read it. */
export function shownProblem(problem: Problem): Problem {
  const { message, tool, offer, place } = problem;
  if (![message, tool, offer, ...linesOf(place)].some((text) => text !== undefined && showHidden(text) !== text)) return problem;
  return {
    ...problem,
    message: showHidden(message),
    place: shownPlace(place),
    ...(tool === undefined ? {} : { tool: showHidden(tool) }),
    ...(offer === undefined ? {} : { offer: showHidden(offer) }),
  };
}

function linesOf(place: Place): readonly (string | undefined)[] {
  if (place.kind === "none") return [];
  return place.kind === "file" ? [place.file] : [place.file, place.sourceLine, place.before, place.after];
}

function shownPlace(place: Place): Place {
  if (place.kind === "none") return place;
  const file = showHidden(place.file);
  if (place.kind === "file") return { ...place, file };
  const { sourceLine, before, after } = place;
  return {
    ...place,
    file,
    sourceLine: showHidden(sourceLine),
    ...(before === undefined ? {} : { before: showHidden(before) }),
    ...(after === undefined ? {} : { after: showHidden(after) }),
  };
}

/** The same for an entry that was set aside, whose name and description were never accepted. */
export function shownBroken(broken: BrokenTool): BrokenTool {
  const { name, description, problem } = broken;
  return { ...broken, name: showHidden(name), description: showHidden(description), problem: shownProblem(problem) };
}

/** Every text in a value, keys included, in any order. */
function textsOf(value: JsonValue): readonly string[] {
  const texts: string[] = [];
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (isJsonObject(next)) {
      for (const [key, item] of Object.entries(next)) {
        texts.push(key);
        waiting.push(item);
      }
    }
  }
  return texts;
}
