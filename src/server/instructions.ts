import { type Problem, placedMessage } from "../core/problem.ts";
import { cutText } from "../core/text.ts";
import type { ListedTool } from "../core/tool.ts";
import type { Expose } from "./expose.ts";

/** Longest text of instructions, in bytes of UTF-8: it stands in every conversation of the client. */
export const MAX_INSTRUCTIONS_BYTES = 8_192;

/** Longest description in the list; the whole one is in `tools/list`. */
const LINE_CHARACTERS = 160;

/** Longest line about a broken file, in UTF-16 units; with {@link MAX_PROBLEMS} it leaves most of the text to the tools. */
const PROBLEM_CHARACTERS = 320;

/** Findings shown; broken files rarely come in numbers, and the first one is mended first. */
const MAX_PROBLEMS = 3;

/**
 * What a client hands its model at the start: the tools as of now and how to use them. Made from the list that `tools/list` gives,
 * and from what is wrong with the workspace's files themselves: without that, a model takes a broken workspace for an empty one.
 */
export function instructionsText(tools: readonly ListedTool[], expose: Expose, problems: readonly Problem[] = []): string {
  const listed = tools.filter((tool) => tool.role === "tools" && tool.status.kind !== "broken");
  const guidance = guidanceText(expose);
  const head = headText(
    listed.length > 0,
    problems.filter((problem) => problem.severity === "error" && problem.tool === undefined && problem.offer === undefined),
  );
  const lines: string[] = [];
  let left = MAX_INSTRUCTIONS_BYTES - Buffer.byteLength(`${head}\n\n${guidance}\n${moreText(listed.length)}\n`);
  for (const tool of listed) {
    const line = toolLine(tool);
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const omitted = listed.length - lines.length;
  return [head, ...lines, ...(omitted === 0 ? [] : [moreText(omitted)]), "", guidance].join("\n");
}

function headText(hasTools: boolean, broken: readonly Problem[]): string {
  if (broken.length === 0) return hasTools ? "Tools of this workspace:" : "This workspace has no working tools now.";
  const omitted = broken.length - MAX_PROBLEMS;
  const lines = [...broken.slice(0, MAX_PROBLEMS).map(problemLine), ...(omitted > 0 ? [moreText(omitted)] : [])];
  return hasTools
    ? ["Files of this workspace are broken, so tools may be missing:", ...lines, "Tools of this workspace:"].join("\n")
    : ["This workspace has no working tools now, because its files are broken:", ...lines].join("\n");
}

function problemLine(problem: Problem): string {
  return `- ${cutText(oneLine(placedMessage(problem, ": ")), PROBLEM_CHARACTERS)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

function toolLine({ name, description, status }: ListedTool): string {
  const text = cutText(oneLine(description), LINE_CHARACTERS);
  return `- ${name}: ${text}${statusText(status)}`;
}

function statusText(status: ListedTool["status"]): string {
  switch (status.kind) {
    case "needs-secret":
      return ` [not usable yet: a person must store ${status.missing.join(", ")}]`;
    case "limited":
      return " [limited until a person trusts the workspace]";
    default:
      return "";
  }
}

function moreText(count: number): string {
  return `- and ${count} more; GetWorkspaceTools lists them all.`;
}

function guidanceText(expose: Expose): string {
  const through = expose === "direct" ? "" : " A tool that your client does not list can be called with ExecuteWorkspaceTool.";
  const own = expose === "meta" ? "Call them with ExecuteWorkspaceTool." : "Call them by name.";
  return (
    `${own} The workspace can change at any time and changes are live on the next call: GetWorkspaceTools gives the list as of now, ` +
    `with full parameters and with what is wrong with tools that are set aside.${through} ` +
    "A failed call says what was wrong and what to do; do that before trying again. " +
    "Keys and tokens are added to requests by the server: never ask for them and never put them into arguments."
  );
}
