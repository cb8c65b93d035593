import type { Caller, ListedTool, ReloadReport } from "../core/tool.ts";
import type { Catalog } from "./catalog.ts";

/** Knows what each agent was last told, so that a reload can say what changed for it. */
export interface Reloader {
  /** Notes that the caller was given this list, and gives it back. */
  told(caller: Caller, tools: readonly ListedTool[]): readonly ListedTool[];
  /** Reads everything again and says what changed since the caller was last given a list. */
  reload(caller: Caller): Promise<ReloadReport>;
}

/** Makes a reloader for one engine. */
export function createReloader(catalog: Catalog): Reloader {
  const lastTold = new Map<string, readonly ListedTool[]>();
  const told = (caller: Caller, tools: readonly ListedTool[]): readonly ListedTool[] => {
    lastTold.set(caller.agent, tools);
    return tools;
  };
  return {
    told,
    reload: async (caller) => {
      const before = working(lastTold.get(caller.agent) ?? catalog.list(caller));
      await catalog.refresh({ kind: "all" });
      const listed = told(caller, catalog.list(caller));
      const after = working(listed);
      const broken = listed.filter((tool) => tool.status.kind === "broken").map((tool) => tool.name);
      const unreadable = catalog.unreadable(caller);
      return {
        generation: catalog.generation(),
        added: [...after.keys()].filter((name) => !before.has(name)),
        removed: [...before.keys()].filter((name) => !after.has(name) && !broken.includes(name)),
        changed: [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text).map(([name]) => name),
        broken,
        problems: catalog.problems(caller),
        ...(unreadable === undefined ? {} : { unreadable }),
      };
    },
  };
}

/** Definitions of the tools that can be called, as text that differs when they do. */
function working(tools: readonly ListedTool[]): ReadonlyMap<string, string> {
  const callable = tools.filter((tool) => tool.role === "tools" && tool.status.kind !== "broken");
  return new Map(callable.map(({ status: _, ...definition }) => [definition.name, JSON.stringify(definition)]));
}
