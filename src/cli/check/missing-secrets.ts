import type { Problem } from "../../core/problem.ts";
import type { ScriptTool } from "../../engine/script-tool.ts";
import { secretNames, type ToolTemplates } from "../../secrets/tool-secrets.ts";
import { withoutSourceLine } from "../../workspace/position.ts";
import { type AgentSecrets, SETTINGS_FILE } from "../../workspace/settings-file.ts";
import { secretCommand } from "../tool-table.ts";
import type { BindingContext } from "./secret-bindings.ts";

/** A finding for each tool whose secrets are not all stored; for agents with names of their own, one for each that lacks some. */
export function missingProblems(context: BindingContext): readonly Problem[] {
  const { scriptTools, agents, flag, prefix } = context;
  return scriptTools.flatMap((tool) => {
    const { name, allowedHosts = [], headers } = tool.entry;
    const groups = new Map<string, { readonly missing: readonly Missing[]; readonly agents: string[] }>();
    for (const agent of callersOf(agents)) {
      const missing = missingFor(tool, agent, context);
      if (missing.length === 0) continue;
      const text = missing.map(({ label }) => label).join(" and ");
      const group = groups.get(text) ?? { missing, agents: [] };
      if (agent !== undefined) group.agents.push(agent.agent);
      groups.set(text, group);
    }
    return [...groups.values()].map(({ missing, agents: lacking }): Problem => {
      const calls =
        lacking.length === agents.length ? "its calls" : `its calls for ${lacking.length === 1 ? "agent" : "agents"} ${lacking.join(", ")}`;
      const names = missing.map(({ label }) => label).join(" and ");
      const message = `${prefix}${name}: ${names} ${missing.length === 1 ? "is" : "are"} not stored, so ${calls} fail`;
      const header = headers.find(({ value }) => missing[0] !== undefined && value.includes(missing[0].written));
      return {
        code: "SECRET_MISSING",
        severity: "warning",
        place: withoutSourceLine(header?.place ?? tool.entry.place),
        tool: prefix + name,
        message,
        mend: secretCommand(
          missing.map(({ stored }) => stored),
          allowedHosts,
          flag,
        ),
      };
    });
  });
}

/** A finding for each name to which an agent gives another secret and that no tool names: such a line has no effect. */
export function unnamedProblems({ scriptTools, agents }: Pick<BindingContext, "scriptTools" | "agents">): readonly Problem[] {
  const named = new Set(scriptTools.flatMap(secretNames));
  return agents.flatMap(({ agent, names }) =>
    names.flatMap(([own, stored]): Problem[] => {
      if (named.has(own)) return [];
      const message = `"secrets" of agent ${agent} puts ${stored} behind ${own}, which no tool names, so it has no effect`;
      const mend = "Write the name that stands in tools.json, or remove the line.";
      return [{ code: "SECRET_UNNAMED", severity: "warning", place: { kind: "file", file: SETTINGS_FILE }, message, mend }];
    }),
  );
}

/** Names in the vault that a tool's templates stand for, in the calls of all agents together. */
export function storedNames(tool: ToolTemplates, agents: readonly AgentSecrets[]): readonly string[] {
  return [...new Set(callersOf(agents).flatMap((agent) => secretNames(tool).map((name) => storedName(name, agent))))];
}

/** For whom calls are: each agent, or in a workspace without agents nobody in particular. */
export function callersOf(agents: readonly AgentSecrets[]): readonly (AgentSecrets | undefined)[] {
  return agents.length === 0 ? [undefined] : agents;
}

/** The name in the vault that a name in tools.json stands for, in the calls of an agent. */
export function storedName(name: string, agent: AgentSecrets | undefined): string {
  return agent?.names.find(([own]) => own === name)?.[1] ?? name;
}

interface Missing {
  /** As tools.json names it. */
  readonly written: string;
  readonly stored: string;
  /** Both, where they differ. */
  readonly label: string;
}

function missingFor(tool: ScriptTool, agent: AgentSecrets | undefined, { stored }: BindingContext): readonly Missing[] {
  return secretNames(tool).flatMap((written) => {
    const name = storedName(written, agent);
    if (stored.some((one) => one.name === name)) return [];
    return [{ written, stored: name, label: secretLabel(written, name, agent) }];
  });
}

/** A secret as messages tell it: by both names where they differ. */
export function secretLabel(written: string, stored: string, agent: AgentSecrets | undefined): string {
  return stored === written ? written : `${written}, which is ${stored} for agent ${agent?.agent},`;
}
