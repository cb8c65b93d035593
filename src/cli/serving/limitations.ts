import { placedMessage } from "../../core/problem.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { Caller, ListedTool } from "../../core/tool.ts";
import { visible } from "../../core/visible-text.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { CliContext } from "../command.ts";
import { offerCounts, shownOffers } from "../offer-table.ts";
import { oneLine } from "../terminal-text.ts";
import { askLines } from "../trust-asks.ts";
import { workspaceLabel } from "../workspace-choice.ts";

/** What a server says at its start, beside the protocol: what is off until somebody looks, and how many tools there are. */
export function limitationLines(runtime: CliRuntime, caller: Caller, context: CliContext, transport: "stdio" | "HTTP"): string[] {
  const tools = runtime.engine.list(caller).filter((tool) => tool.role === "tools");
  const asks = runtime.asks().filter((ask) => !ask.isTrusted);
  const label = visible(workspaceLabel(context, runtime.root));
  const flag = servedFlag(context, runtime);
  const head =
    asks.length === 0
      ? []
      : [
          `${label} asks for more than a workspace may have by itself; off until you say so:`,
          ...askLines(asks),
          `Look at it and decide: toolyard trust${flag}`,
        ];
  const offers = shownOffers(runtime.engine.offers(caller), runtime.workspace.current().offers, true);
  return [...head, ...brokenLines(runtime, flag), servingLine(tools, offerCounts(offers), transport)];
}

/** What suggested commands need to mean the served folder: a client's log is read in another shell, so the whole path. */
export function servedFlag({ cwd }: CliContext, { root }: CliRuntime): string {
  return root === cwd ? "" : ` -w ${shellWord(root)}`;
}

/** Files that cannot be used leave what they said last, or nothing, which must not look like an empty workspace. */
function brokenLines({ workspace }: CliRuntime, flag: string): string[] {
  const { state, problems } = workspace.current();
  const first = problems.find((problem) => problem.severity === "error" && problem.tool === undefined);
  if (state === "ok") return [];
  const found = first === undefined ? "" : `: ${oneLine(placedMessage(first), 300)}`;
  return [`The workspace's files are broken${found}`, `All that is wrong: toolyard check${flag}`];
}

function servingLine(tools: readonly ListedTool[], offers: readonly string[], transport: "stdio" | "HTTP"): string {
  const setAside = tools.filter((tool) => tool.status.kind === "broken").length;
  const limited = tools.filter((tool) => tool.status.kind === "limited").length;
  const working = tools.length - setAside;
  const parts = [
    `Serving ${[`${working} ${working === 1 ? "tool" : "tools"}`, ...offers].join(", ")} on ${transport}`,
    ...(limited === 0 ? [] : [`${limited} of them limited`]),
    ...(setAside === 0 ? [] : [`${setAside} set aside`]),
  ];
  return `${parts.join("; ")}.`;
}
