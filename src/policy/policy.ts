/**
 * The one decision whether a caller may use a tool, the same on every path (MCP, command line, jobs).
 * A denied tool is in no list, and a call by its name answers as for a name that does not exist.
 */
import type { Caller } from "../core/tool.ts";

/** What is known of the workspace's agents. */
export interface PolicySettings {
  /** As defined now. */
  readonly agents: readonly string[];
  /** True if it ever had agents: whoever takes them out of its files must not open all tools to everybody. */
  readonly hadAgents: boolean;
}

/** The answer; `rule` names what decided, for the log and for `policy explain`. */
export type Decision =
  | { readonly kind: "allow" }
  | { readonly kind: "ask"; readonly question: string }
  | { readonly kind: "deny"; readonly rule: string };

/** Decides for a caller. In a workspace that never had agents everybody may use every tool; else only agents defined now may. */
export function decide(settings: PolicySettings, caller: Caller): Decision {
  if (!settings.hadAgents && settings.agents.length === 0) return { kind: "allow" };
  if (settings.agents.includes(caller.agent)) return { kind: "allow" };
  return { kind: "deny", rule: `agents: "${caller.agent}" is not defined in toolyard.json` };
}
