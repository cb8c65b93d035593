/** The table of tools of `list`, `serve --http` and `npm start`: what there is, whether it works, and what to do if not. */
import { placedMessage } from "../core/problem.ts";
import type { ListedTool, ToolStatus } from "../core/tool.ts";
import { withFlag } from "./command-wording.ts";
import type { Paint, Tone } from "./io.ts";
import { firstClause, oneLine, visibleName } from "./terminal-text.ts";

/** Widest description column; a longer text is cut. */
const MAX_DESCRIPTION = 56;

/** Hosts shown of one tool; the rest is counted. */
const MAX_HOSTS = 2;

const STATUS_TEXT: { readonly [kind in ToolStatus["kind"]]: readonly [string, Tone] } = {
  ready: ["ready", "good"],
  "needs-secret": ["needs secret", "warning"],
  limited: ["limited", "warning"],
  broken: ["set aside", "bad"],
};

/** Lines of the table, with two columns of indent; the server's own tools are left out. `flag`: see `workspaceFlag`. */
export function toolTableLines(tools: readonly ListedTool[], paint: Paint, flag = ""): string[] {
  const rows = tools.filter((tool) => tool.role === "tools");
  const nameWidth = widest(rows.map((tool) => visibleName(tool.name)));
  const statusWidth = widest(rows.map((tool) => STATUS_TEXT[tool.status.kind][0]));
  const about = new Map(rows.map((tool) => [tool, firstClause(tool.description, MAX_DESCRIPTION)]));
  const aboutWidth = widest([...about.values()]);
  const indent = " ".repeat(2 + nameWidth + 2 + statusWidth + 3);
  return rows.flatMap((tool) => {
    const [text, tone] = STATUS_TEXT[tool.status.kind];
    const status = paint(tone, text) + " ".repeat(statusWidth - text.length);
    const hosts = hostsText(tool.hosts ?? []);
    const description = (about.get(tool) ?? "").padEnd(hosts === "" ? 0 : aboutWidth);
    const line = `  ${paint("strong", visibleName(tool.name))}${" ".repeat(nameWidth - visibleName(tool.name).length)}  ${status}   ${description}`;
    const head = hosts === "" ? line.trimEnd() : `${line}  ${paint("quiet", `→ ${hosts}`)}`;
    return [head, ...nextSteps(tool, flag).map((step) => indent + paint("quiet", step))];
  });
}

/** What stands in the heading over the table. */
interface TitleFacts {
  readonly version: string;
  readonly workspace: string;
  readonly tools: readonly ListedTool[];
  /** What else there is, such as `2 prompts`. */
  readonly offers?: readonly string[];
  /** Left out where it says nothing, as in one-off commands. */
  readonly generation?: number;
}

/** The heading over the table. */
export function toolTableTitle({ version, workspace, tools, offers = [], generation }: TitleFacts): string {
  const count = tools.filter((tool) => tool.role === "tools").length;
  const parts = [`toolyard ${version}`, visibleName(workspace), count === 1 ? "1 tool" : `${count} tools`, ...offers];
  return [...parts, ...(generation === undefined ? [] : [`generation ${generation}`])].join(" · ");
}

/** The command that stores the first missing secret of a tool, with the others named. `flag`: see `workspaceFlag`. */
export function secretCommand(missing: readonly string[], hosts: readonly string[], flag = ""): string {
  const [first = "", ...others] = missing;
  const host = hosts.length === 1 && hosts[0] !== undefined ? hosts[0] : "HOST";
  return `toolyard secrets set${flag} ${first} --host ${visibleName(host)}${others.length === 0 ? "" : `   (and ${others.join(", ")})`}`;
}

function nextSteps(tool: ListedTool, flag: string): string[] {
  const { status } = tool;
  switch (status.kind) {
    case "ready":
      return [];
    case "needs-secret":
      return [secretCommand(status.missing, tool.hosts ?? [], flag)];
    case "limited":
      return [oneLine(withFlag(status.reason, flag), 200 + flag.length)];
    case "broken":
      return [oneLine(placedMessage(status.problem), 200)];
  }
}

function hostsText(hosts: readonly string[]): string {
  const shown = hosts.slice(0, MAX_HOSTS).map(visibleName).join(", ");
  return hosts.length > MAX_HOSTS ? `${shown} and ${hosts.length - MAX_HOSTS} more` : shown;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
