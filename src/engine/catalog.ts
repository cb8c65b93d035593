import { ToolError } from "../core/errors.ts";
import { type Problem, problemData, problemText } from "../core/problem.ts";
import { nearestName, shownName } from "../core/text.ts";
import type { BrokenTool, Caller, ListedTool, Listing, RefreshHint, Tool, ToolSource } from "../core/tool.ts";
import { findByName } from "../core/tool-name.ts";
import { decide, type PolicySettings } from "../policy/policy.ts";

/** All sources as one list. Earlier sources win a name; the meta tools come first, so a workspace cannot replace them. */
export interface Catalog {
  /** Rises with every change of any source. */
  generation(): number;
  /** What this caller may see, sources in order, tools of a source in theirs; entries set aside come last. Without a caller all. */
  list(caller?: Caller): readonly ListedTool[];
  /** Findings about files and entries, which name tools: none for a caller who may not use them. Without a caller all. */
  problems(caller?: Caller): readonly Problem[];
  /** Why the files of a source cannot be read now, for callers who may use it; the first such reason. */
  unreadable(caller: Caller): Problem | undefined;
  /** Why this caller may use no tool at all; undefined for one who may. */
  denial(caller: Caller): string | undefined;
  /** The tool as of now. Throws `ToolError` DENIED for a caller who may use none, whatever the name; TOOL_NOT_FOUND, TOOL_BROKEN or WORKSPACE_BROKEN. */
  find(name: string, caller: Caller): Tool;
  /** True if the name is one of the server's own tools. */
  isMeta(name: string): boolean;
  refresh(hint: RefreshHint): Promise<void>;
  onChange(listener: () => void): () => void;
}

/** Makes the catalog; `policy` is asked anew each time, since a reload may change it. */
export function createCatalog(sources: readonly ToolSource[], policy: () => PolicySettings): Catalog {
  const denial = (caller: Caller): string | undefined => {
    const decision = decide(policy(), caller);
    return decision.kind === "deny" ? decision.message : undefined;
  };
  const mayUse = (caller: Caller): boolean => denial(caller) === undefined;
  return {
    generation: () => sources.reduce((sum, source) => sum + source.current().generation, 0),
    list: (caller) =>
      caller === undefined || mayUse(caller)
        ? [...listReady(sources, caller), ...listBroken(sources)]
        : listReady(
            sources.filter((s) => s.role === "meta"),
            caller,
          ),
    problems: (caller) => (caller === undefined || mayUse(caller) ? sources.flatMap((source) => source.current().problems) : []),
    unreadable: (caller) => (mayUse(caller) ? unreadableOf(sources) : undefined),
    denial,
    find: (name, caller) => {
      const denied = denial(caller);
      if (denied !== undefined) throw new ToolError("DENIED", denied, { data: { agent: caller.agent } });
      return findTool(sources, name, caller);
    },
    isMeta: (name) => sources.some((source) => source.role === "meta" && toolNamed(source, name) !== undefined),
    refresh: async (hint) => {
      for (const source of sources) await source.refresh(hint);
    },
    onChange: (listener) => {
      const undo = sources.map((source) => source.onChange(listener));
      return () => {
        for (const end of undo) end();
      };
    },
  };
}

function findTool(sources: readonly ToolSource[], name: string, caller: Caller): Tool {
  for (const source of sources) {
    const tool = findByName(source.current().tools, name, ({ definition }) => definition);
    if (tool !== undefined) return tool;
  }
  const broken = findByName(
    sources.flatMap((source) => source.current().broken),
    name,
    (entry) => entry,
  );
  if (broken !== undefined) throw brokenError(broken);
  const unreadable = unreadableOf(sources);
  const isEmpty = sources.every((source) => source.role === "meta" || source.current().tools.length === 0);
  if (unreadable !== undefined && isEmpty) {
    throw new ToolError(
      "WORKSPACE_BROKEN",
      `The workspace has no tools now: ${problemText(unreadable)} Fix it and call again; no restart is needed.`,
      {
        data: { problem: problemData(unreadable) },
      },
    );
  }
  const names = sources.flatMap((source) => source.current().tools.map((tool) => tool.definition.name));
  const near = nearestName(name, names);
  // A person at the command line cannot call the tools of the protocol.
  const lister = caller.origin === "cli" ? "toolyard list" : "GetWorkspaceTools";
  const suggestion = near === undefined ? `${lister} lists what there is.` : `Did you mean "${near}"?`;
  const older = unreadable === undefined ? "" : ` The list is the last good one: ${problemText(unreadable)}`;
  throw new ToolError(
    "TOOL_NOT_FOUND",
    `There is no tool "${shownName(name)}" here. ${suggestion}${older}`,
    near === undefined ? {} : { data: { nearest: near } },
  );
}

function unreadableOf(sources: readonly ToolSource[]): Problem | undefined {
  return sources.flatMap((source) => source.current().unreadable ?? [])[0];
}

function toolNamed(source: ToolSource, name: string): Tool | undefined {
  return source.current().tools.find((tool) => tool.definition.name === name);
}

function brokenError({ name, problem, replacedAtMs }: BrokenTool): ToolError {
  const replaced = replacedAtMs === undefined ? "" : ` Its last working version was replaced ${ageText(Date.now() - replacedAtMs)} ago.`;
  const message = `${name} is set aside: ${problemText(problem)}${replaced} Fix it and call again; no restart is needed.`;
  const code = problem.code === "IMPORT_OUTSIDE" ? "IMPORT_OUTSIDE" : "TOOL_BROKEN";
  return new ToolError(code, message, { data: { problem: problemData(problem) } });
}

function ageText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function listReady(sources: readonly ToolSource[], caller: Caller | undefined): ListedTool[] {
  const listing: Listing = { startedAtMs: Date.now(), ...(caller === undefined ? {} : { agent: caller.agent }) };
  return sources.flatMap((source) =>
    source.current().tools.map((tool) => ({ ...tool.definition, status: tool.status(listing), role: source.role })),
  );
}

function listBroken(sources: readonly ToolSource[]): ListedTool[] {
  return sources.flatMap((source) =>
    source.current().broken.map((entry) => ({
      name: entry.name,
      ...(entry.plainName === undefined ? {} : { plainName: entry.plainName }),
      description: entry.description,
      parameters: { type: "object", properties: {} },
      timeoutMs: 0,
      status: { kind: "broken" as const, problem: entry.problem },
      role: source.role,
    })),
  );
}
