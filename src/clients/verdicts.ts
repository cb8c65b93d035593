import { breachOf, type ToolSetting } from "./check-rules.ts";
import type { Client, Demand, Effect } from "./client-rule.ts";
import type { PublishedTool } from "./published-tool.ts";
import { outside, wireName } from "./wire-name.ts";

/** How a client takes a tool. */
export type Verdict =
  | { readonly kind: "as-is" }
  /** It works in another form; `how` says in which. */
  | { readonly kind: "changed"; readonly how: readonly string[] }
  | { readonly kind: "refused"; readonly reasons: readonly Refusal[] };

/** Why a tool does not get through, and what to change. */
export interface Refusal {
  readonly effect: Exclude<Effect, "changed">;
  readonly why: string;
  readonly mend: string;
  readonly sources: readonly string[];
}

/** More tools than a client takes. */
export interface TooMany {
  readonly max: number;
  readonly effect: Effect;
  readonly sources: readonly string[];
}

/** What one client makes of all tools. */
export interface ClientReport {
  readonly client: Client;
  /** By the tool's name. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly tooMany?: TooMany;
}

/** What the tools are judged with. */
export interface JudgeOptions {
  /** Name of the server in the client's settings. */
  readonly server: string;
  /** Tools the server lists beside these. */
  readonly ownTools: number;
}

/** Judges all tools for all clients. */
export function judgeClients(
  clients: readonly Client[],
  tools: readonly PublishedTool[],
  { server, ownTools }: JudgeOptions,
): readonly ClientReport[] {
  return clients.map((client) => {
    const names = new Map<string, number>();
    for (const { name } of tools) {
      const wire = wireName(name, server, client.names);
      names.set(wire, (names.get(wire) ?? 0) + 1);
    }
    const verdicts = new Map(tools.map((tool) => [tool.name, judge({ tool, client, server, names })]));
    const count = tools.length + ownTools;
    const limit = client.rules.find(({ demand }) => demand.kind === "tool-count" && count > demand.max);
    if (limit === undefined || limit.demand.kind !== "tool-count") return { client, verdicts };
    return { client, verdicts, tooMany: { max: limit.demand.max, effect: limit.effect, sources: limit.sources } };
  });
}

function judge(setting: ToolSetting): Verdict {
  const { tool, client } = setting;
  const reasons: Refusal[] = [];
  const how = new Set(tool.changes);
  for (const { demand, effect, sources } of client.rules) {
    const breach = breachOf(demand, setting);
    if (breach === undefined) continue;
    if (effect === "changed") how.add(changeText(demand, setting));
    else reasons.push({ effect, ...breach, sources });
  }
  if (reasons.length > 0) return { kind: "refused", reasons };
  return how.size === 0 ? { kind: "as-is" } : { kind: "changed", how: [...how] };
}

function changeText(demand: Demand, { tool, client, server }: ToolSetting): string {
  switch (demand.kind) {
    case "name-length":
      return client.names.cut === undefined ? "the name is shortened" : `the name is cut to ${wireName(tool.name, server, client.names)}`;
    case "name-characters":
      return `${charactersText(tool.name, demand.allowed)} becomes "_" in the name`;
    case "description-length":
      return `the description ends after ${demand.max} characters`;
    default:
      return "the schema is changed";
  }
}

function charactersText(name: string, allowed: string): string {
  return [...new Set(name.match(outside(allowed)) ?? [])].map((character) => `"${character}"`).join(" and ");
}
