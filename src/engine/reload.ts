import type { Caller, ListedTool, ReloadReport, ToolChanges } from "../core/tool.ts";
import type { Catalog } from "./catalog.ts";
import type { ClientLists } from "./client-lists.ts";

/** Reads everything again and says what changed since the caller was last given a list or a report. */
export type Reload = (caller: Caller) => Promise<ReloadReport>;

/** Makes the reload of one engine. */
export function createReload(catalog: Catalog, lists: ClientLists): Reload {
  // By the list that was current when the report was made, so that a newer list of the client counts instead.
  const reported = new WeakMap<readonly ListedTool[], readonly ListedTool[]>();
  return async (caller) => {
    const own = lists.of(caller);
    const before = own === undefined ? catalog.list(caller) : (reported.get(own.tools) ?? own.tools);
    await catalog.refresh({ kind: "all" });
    const listed = catalog.list(caller);
    if (own !== undefined) reported.set(own.tools, listed);
    const unreadable = catalog.unreadable(caller);
    const unseen = own === undefined || own.follows ? undefined : changesBetween(own.tools, listed, shownOf);
    return {
      generation: catalog.generation(),
      ...changesBetween(before, listed, (definition) => JSON.stringify(definition)),
      broken: listed.filter((tool) => tool.status.kind === "broken").map((tool) => tool.name),
      problems: catalog.problems(caller),
      ...(unreadable === undefined ? {} : { unreadable }),
      ...(unseen === undefined || isNone(unseen) ? {} : { unseen }),
    };
  };
}

type TextOf = (tool: Omit<ListedTool, "status">) => string;

function changesBetween(earlier: readonly ListedTool[], later: readonly ListedTool[], textOf: TextOf): ToolChanges {
  const before = working(earlier, textOf);
  const after = working(later, textOf);
  const broken = new Set(later.filter((tool) => tool.status.kind === "broken").map((tool) => tool.name));
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name) && !broken.has(name)),
    changed: [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text).map(([name]) => name),
  };
}

/** What a client has of a tool: another script behind it, or another limit, leaves its list as good as it was. */
function shownOf({ title, description, parameters, output, annotations }: Omit<ListedTool, "status">): string {
  return JSON.stringify([title, description, parameters, output, annotations]);
}

function isNone({ added, removed, changed }: ToolChanges): boolean {
  return added.length + removed.length + changed.length === 0;
}

/** The tools that can be called, as texts that differ when they do. */
function working(tools: readonly ListedTool[], textOf: TextOf): ReadonlyMap<string, string> {
  const callable = tools.filter((tool) => tool.role === "tools" && tool.status.kind !== "broken");
  return new Map(callable.map(({ status: _, ...definition }) => [definition.name, textOf(definition)]));
}
