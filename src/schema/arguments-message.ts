import type { ArgumentRepair } from "../core/tool.ts";
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
  const lines = issues.slice(0, SHOWN_ISSUES).map((issue) => `- ${issueText(issue)}`);
  const more = issues.length - SHOWN_ISSUES;
  if (more > 0) lines.push(`- and ${more} more`);
  return [`Arguments of ${tool} do not fit:`, ...lines, ...repairLines(repaired)].join("\n");
}

/** What was read otherwise than written, so that what is told of it makes sense to whoever wrote it. */
function repairLines(repaired: readonly ArgumentRepair[]): readonly string[] {
  if (repaired.length === 0) return [];
  const shown = repaired.slice(0, SHOWN_REPAIRS).map(({ path, to }) => `${path} as ${to}`);
  const more = repaired.length - shown.length;
  return [`Text was read as what it stands for: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

/** One field in one line; `whole` names the value itself where no field is meant. */
export function issueText({ path, kind, expected, found, suggestion, known = [] }: FieldIssue, whole = "the arguments"): string {
  const place = path === "" ? whole : path;
  switch (kind) {
    case "missing":
      return `${place}: missing; expected ${expected}`;
    case "unknown":
      if (suggestion !== undefined) return `${place}: not a parameter; did you mean "${suggestion}"?`;
      return `${place}: not a parameter${known.length === 0 ? "" : `; known are ${known.map((name) => `"${name}"`).join(", ")}`}`;
    case "value":
      return `${place}: expected ${expected}; found ${found}`;
  }
}
