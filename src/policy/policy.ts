/**
 * The one decision whether a caller may use a tool, the same on every path (MCP, command line, jobs).
 * What is denied is in no list. Who may use nothing at all gets DENIED for every name, in the same words whether a tool has
 * it or not, the server's own tools included: the answer tells nothing of the workspace but what a person has to mend.
 */
import type { Caller } from "../core/tool.ts";

/** What is known of the workspace's agents. */
export interface PolicySettings {
  /** As defined now. */
  readonly agents: readonly string[];
  /** True if it ever had agents: whoever takes them out of its files must not open all tools to everybody. */
  readonly hadAgents: boolean;
  /** True if toolyard.json cannot be read and never could since the start, so that `agents` is empty for want of knowing. Default false. */
  readonly areUnknown?: boolean;
}

/** The answer; `rule` names what decided, for the log and for `policy explain`, `message` tells the caller and names no tool. */
export type Decision =
  | { readonly kind: "allow" }
  | { readonly kind: "ask"; readonly question: string }
  | { readonly kind: "deny"; readonly rule: string; readonly message: string };

/** Decides for a caller. In a workspace that never had agents everybody may use every tool; else only agents defined now may. */
export function decide(settings: PolicySettings, caller: Caller): Decision {
  if (!settings.hadAgents && settings.agents.length === 0) return { kind: "allow" };
  if (settings.agents.includes(caller.agent)) return { kind: "allow" };
  return { kind: "deny", rule: `agents: "${caller.agent}" is not defined in toolyard.json`, message: denialText(settings, caller) };
}

/** Other agents stay unnamed: who is none of them has no business with their names. */
function denialText({ agents, areUnknown = false }: PolicySettings, { agent }: Caller): string {
  const head = `The agent "${agent}" may use no tool of this workspace: `;
  if (agents.length > 0) {
    return `${head}toolyard.json does not define it. A person adds it there under "agents", or gives this client the name or token of an agent that is there.`;
  }
  if (areUnknown) {
    return `${head}toolyard.json cannot be read, so its agents are not known. A person mends the file (toolyard check shows the line); no restart is needed.`;
  }
  return `${head}toolyard.json defines no agents now, and this workspace had some. A person defines them there again, or runs toolyard trust to say that there shall be none any more.`;
}
