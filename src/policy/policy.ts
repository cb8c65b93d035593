/**
 * The one decision whether a caller may use a tool, the same on every path (MCP, command line, jobs).
 * A denied tool is in no list, and a call by its name answers as for a name that does not exist.
 */
import type { Caller } from "../core/tool.ts";

/** What the workspace says about agents. Empty: it has none, and every caller may use every tool. */
export interface PolicySettings {
  readonly agents: readonly string[];
}

/** The answer; `rule` names what decided, for the log and for `policy explain`. */
export type Decision =
  | { readonly kind: "allow" }
  | { readonly kind: "ask"; readonly question: string }
  | { readonly kind: "deny"; readonly rule: string };

/** Decides for one tool and caller. Where agents are defined, a caller that is none of them may use nothing. */
export function decide(settings: PolicySettings, caller: Caller): Decision {
  if (settings.agents.length === 0 || settings.agents.includes(caller.agent)) return { kind: "allow" };
  return { kind: "deny", rule: `agents: "${caller.agent}" is not defined in toolyard.json` };
}
