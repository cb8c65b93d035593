import type { Command } from "commander";
import type { Caller, Origin } from "../core/tool.ts";
import { UsageError } from "./usage-error.ts";

/** Options of commands that call tools. */
export interface AgentOptions {
  readonly agent?: string;
}

/** What the choice looks at. */
export interface AgentFacts {
  /** Names of the agents in toolyard.json. */
  agents(): readonly string[];
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
 * the names where that decides nothing, or the name is not defined. In a workspace without agents any name will do.
 */
export function chooseCaller({ agents }: AgentFacts, { agent }: AgentOptions, origin: Origin): Caller {
  const defined = agents();
  if (defined.length === 0) return { agent: agent ?? DEFAULT_AGENT, origin };
  if (agent !== undefined) {
    if (defined.includes(agent)) return { agent, origin };
    throw new UsageError(`No agent "${agent}" is defined in toolyard.json. Defined: ${defined.join(", ")}.`);
  }
  const [first] = defined;
  if (defined.includes(DEFAULT_AGENT)) return { agent: DEFAULT_AGENT, origin };
  if (defined.length === 1 && first !== undefined) return { agent: first, origin };
  throw new UsageError(`This workspace defines several agents and none is called "default". Say which: --agent ${defined.join(" | ")}`);
}
