import type { Caller } from "../../core/tool.ts";
import type { CliRuntime } from "../cli-runtime.ts";
import type { CliContext } from "../command.ts";
import { visible } from "../terminal-text.ts";
import { askLines } from "../trust-asks.ts";
import { workspaceLabel } from "../workspace-choice.ts";

/** What a server says at its start, beside the protocol: what is off until somebody looks, and how many tools there are. */
export function limitationLines(runtime: CliRuntime, caller: Caller, context: CliContext, transport: "stdio" | "HTTP"): string[] {
  const tools = runtime.engine.list(caller).filter((tool) => tool.role === "tools");
  const working = tools.filter((tool) => tool.status.kind !== "broken");
  const limited = tools.filter((tool) => tool.status.kind === "limited").length;
  const asks = runtime.asks().filter((ask) => !ask.isTrusted);
  const label = visible(workspaceLabel(context, runtime.root));
  const head =
    asks.length === 0
      ? []
      : [
          `${label} asks for more than a workspace may have by itself; off until you say so:`,
          ...askLines(asks),
          `Look at it and decide: toolyard trust${runtime.root === context.cwd ? "" : ` -w ${label}`}`,
        ];
  const count = `${working.length} ${working.length === 1 ? "tool" : "tools"}`;
  return [...head, `Serving ${count} on ${transport}${limited === 0 ? "" : `; ${limited} of them limited`}.`];
}
