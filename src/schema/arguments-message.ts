import type { FieldIssue } from "./validator.ts";

/** Most fields told in one message. */
const SHOWN_ISSUES = 20;

/** The message of INVALID_ARGUMENTS: one line per field, in the words of the schema, with the nearest known name. */
export function argumentsMessage(tool: string, issues: readonly FieldIssue[]): string {
  const lines = issues.slice(0, SHOWN_ISSUES).map((issue) => `- ${issueText(issue)}`);
  const more = issues.length - SHOWN_ISSUES;
  if (more > 0) lines.push(`- and ${more} more`);
  return [`Arguments of ${tool} do not fit:`, ...lines].join("\n");
}

/** One field in one line; `whole` names the value itself where no field is meant. */
export function issueText({ path, kind, expected, found, suggestion }: FieldIssue, whole = "the arguments"): string {
  const place = path === "" ? whole : path;
  switch (kind) {
    case "missing":
      return `${place}: missing; expected ${expected}`;
    case "unknown":
      return `${place}: not a parameter${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}`;
    case "value":
      return `${place}: expected ${expected}; found ${found}`;
  }
}
