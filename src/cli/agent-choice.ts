import type { Command } from "commander";
import type { Caller, Origin } from "../core/tool.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { UsageError } from "./usage-error.ts";

/** Options of commands that call tools. */
export interface AgentOptions {
  readonly agent?: string;
}

/** What the choice looks at. */
export interface AgentFacts {
  /** Names of the agents in toolyard.json. */
  agents(): readonly string[];
  readonly workspace: { current(): { readonly state: WorkspaceSnapshot["state"] } };
}

/** Name of the caller in a workspace without agents. */
export const DEFAULT_AGENT = "default";

/** Adds `--agent`. */
export function withAgent(command: Command): Command {
  return command.option(
    "--agent <name>",
    "who calls, where the workspace defines agents (default: the one called default, else the only one)",
  );
}

/**
 * Who calls (DESIGN 4): `--agent`, else `default` if it is defined, else the only one. Throws {@link UsageError} with
 * the names where that decides nothing, or the name is not defined: a name that counts for nothing would pass for one with
 * rights. While files cannot be read nobody knows the names, and any will do: the policy decides then.
 */
export function chooseCaller({ agents, workspace }: AgentFacts, { agent }: AgentOptions, origin: Origin): Caller {
  const defined = agents();
  if (defined.length === 0) {
    if (agent !== undefined && agent !== DEFAULT_AGENT && workspace.current().state === "ok") throw noAgents(agent);
    return { agent: agent ?? DEFAULT_AGENT, origin };
  }
  if (agent !== undefined) {
    if (defined.includes(agent)) return { agent, origin };
    throw new UsageError(`No agent "${agent}" is defined in toolyard.json. Defined: ${defined.join(", ")}.`);
  }
  const [first] = defined;
  if (defined.includes(DEFAULT_AGENT)) return { agent: DEFAULT_AGENT, origin };
  if (defined.length === 1 && first !== undefined) return { agent: first, origin };
  throw new UsageError(`This workspace defines several agents and none is called "default". Say which: --agent ${defined.join(" | ")}`);
}

function noAgents(agent: string): UsageError {
  return new UsageError(
    `No agent "${agent}" is defined here: this workspace has no agents. Leave out --agent, or define it in toolyard.json: "agents": [{ "agentId": ${JSON.stringify(agent)} }]`,
  );
}
