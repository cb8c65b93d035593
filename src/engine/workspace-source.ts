import { messageOf, ToolError } from "../core/errors.ts";
import type { Problem } from "../core/problem.ts";
import type { BrokenTool, Tool, ToolSet, ToolSource } from "../core/tool.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { WorkspaceTool } from "../workspace/workspace-tool.ts";
import { createScriptTool, parseScriptTool, type ScriptServices, type ScriptTool } from "./script-tool.ts";

/** The workspace as a source of tools. */
export interface WorkspaceSource extends ToolSource {
  /** Its tools with all that their entries say, for `trust`. */
  scriptTools(): readonly ScriptTool[];
}

type Made =
  | { readonly kind: "tool"; readonly tool: Tool; readonly scriptTool: ScriptTool }
  | { readonly kind: "broken"; readonly broken: BrokenTool };

/** Wraps an open workspace; whoever opened it closes it. */
export function createWorkspaceSource(workspace: Workspace, services: ScriptServices): WorkspaceSource {
  // By the workspace's own objects, which stay the same for a tool that did not change, so that compiled schemas stay good.
  const known = new WeakMap<WorkspaceTool, Made>();
  const sets = new WeakMap<WorkspaceSnapshot, { readonly set: ToolSet; readonly scriptTools: readonly ScriptTool[] }>();
  const make = (entry: WorkspaceTool): Made => {
    const made = known.get(entry) ?? makeTool(entry, services);
    known.set(entry, made);
    return made;
  };
  const current = (): { readonly set: ToolSet; readonly scriptTools: readonly ScriptTool[] } => {
    const snapshot = workspace.current();
    const existing = sets.get(snapshot);
    if (existing !== undefined) return existing;
    const made = snapshot.tools.map(make);
    const broken = made.flatMap((one) => (one.kind === "broken" ? [one.broken] : []));
    const unreadable = snapshot.state === "ok" ? undefined : fileError(snapshot);
    const set: ToolSet = {
      ...(unreadable === undefined ? {} : { unreadable }),
      generation: snapshot.generation,
      tools: made.flatMap((one) => (one.kind === "tool" ? [one.tool] : [])),
      broken: [...snapshot.broken, ...broken],
      problems: [...snapshot.problems, ...broken.map((tool) => tool.problem), ...made.flatMap(literalTemplates)],
    };
    const both = { set, scriptTools: made.flatMap((one) => (one.kind === "tool" ? [one.scriptTool] : [])) };
    sets.set(snapshot, both);
    return both;
  };
  return {
    name: "workspace",
    role: "tools",
    current: () => current().set,
    refresh: (hint) => workspace.refresh(hint),
    onChange: (listener) => workspace.onChange(listener),
    scriptTools: () => current().scriptTools,
  };
}

/** The error of tools.json or toolyard.json itself. */
function fileError({ problems }: WorkspaceSnapshot): Problem | undefined {
  return problems.find((problem) => problem.severity === "error" && problem.tool === undefined);
}

/** Text in a header that looks like a template and is none: it is sent as it stands, which is seldom what was meant. */
function literalTemplates(made: Made): readonly Problem[] {
  if (made.kind === "broken") return [];
  const { entry, headers } = made.scriptTool;
  return headers.flatMap((header, index) =>
    header.template.warnings.map(({ code, message }) => ({
      code,
      severity: "warning" as const,
      place: entry.headers[index]?.place ?? entry.place,
      tool: entry.name,
      message,
    })),
  );
}

function makeTool(entry: WorkspaceTool, services: ScriptServices): Made {
  try {
    const scriptTool = parseScriptTool(entry);
    return { kind: "tool", tool: createScriptTool(scriptTool, services), scriptTool };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { name, description, place } = entry;
    return {
      kind: "broken",
      broken: { name, description, problem: { code: "INVALID_VALUE", severity: "error", place, tool: name, message: messageOf(error) } },
    };
  }
}
