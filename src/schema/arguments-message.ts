import type { ArgumentRepair } from "../core/tool.ts";
import { shortJson } from "./short-json.ts";
import type { FieldIssue } from "./validator.ts";

/** Most fields told in one message. */
const SHOWN_ISSUES = 20;

/** Most texts told in one message that were read as something else. */
const SHOWN_REPAIRS = 5;

/** The message of INVALID_ARGUMENTS: one line per field, in the words of the schema, with the nearest known name. */
export function argumentsMessage(
  tool: string,
  { issues, repaired = [] }: { readonly issues: readonly FieldIssue[]; readonly repaired?: readonly ArgumentRepair[] },
): string {
  return [`Arguments of ${tool} do not fit:`, ...issueLines(issues), ...repairLines(repaired)].join("\n");
}

/** A line for each of the first 20 issues, and one that says how many more there are; `whole` as of {@link issueText}. */
export function issueLines(issues: readonly FieldIssue[], whole?: string): readonly string[] {
  const lines = issues.slice(0, SHOWN_ISSUES).map((issue) => `- ${issueText(issue, whole)}`);
  const more = issues.length - SHOWN_ISSUES;
  return more > 0 ? [...lines, `- and ${more} more`] : lines;
}

/** What was read otherwise than written, so that what is told of it makes sense to whoever wrote it. */
function repairLines(repaired: readonly ArgumentRepair[]): readonly string[] {
  if (repaired.length === 0) return [];
  const shown = repaired.slice(0, SHOWN_REPAIRS).map(({ path, to }) => `${path === "" ? "the arguments" : path} as ${to}`);
  const more = repaired.length - shown.length;
  return [`Text was read as what it stands for: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

/** One field in one line; `whole` names the value itself where no field is meant. */
export function issueText({ path, kind, expected, found, suggestion, known = [], given }: FieldIssue, whole = "the arguments"): string {
  const place = path === "" ? whole : path;
  switch (kind) {
    case "missing":
      return `${place}: missing; expected ${expected}${given === undefined ? "" : `. ${shortJson(given)} is given, which is not a parameter: is it meant to be ${place}?`}`;
    case "unknown":
      if (suggestion !== undefined) return `${place}: not a parameter; did you mean "${suggestion}"?${unicodeNote(place, suggestion)}`;
      return `${place}: not a parameter${known.length === 0 ? "" : `; known are ${known.map((name) => `"${name}"`).join(", ")}`}`;
    case "value":
      return `${place}: expected ${expected}; found ${found}`;
  }
}

/** Two names that look the same, of which one is no parameter, are a riddle without a word on how they differ. */
function unicodeNote(place: string, suggestion: string): string {
  const isSame = !place.includes(suggestion) && place.normalize("NFC").includes(suggestion.normalize("NFC"));
  return isSame ? " It looks the same and is written with other Unicode characters." : "";
}
