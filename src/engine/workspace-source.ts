import { messageOf, ToolError } from "../core/errors.ts";
import type { Problem } from "../core/problem.ts";
import type { BrokenTool, Tool, ToolSet, ToolSource } from "../core/tool.ts";
import { findByName } from "../core/tool-name.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { WorkspaceTool } from "../workspace/workspace-tool.ts";
import { type PublishedName, publishNames } from "./published-names.ts";
import { createScriptTool, parseScriptTool, type ScriptServices, type ScriptTool } from "./script-tool.ts";

/** The workspace as a source of tools. */
export interface WorkspaceSource extends ToolSource {
  /** Its tools with all that their entries say, for `trust`. */
  scriptTools(): readonly ScriptTool[];
}

type Made =
  | { readonly kind: "tool"; readonly tool: Tool; readonly scriptTool: ScriptTool }
  | { readonly kind: "broken"; readonly broken: BrokenTool };

interface Named {
  readonly prefix: string;
  readonly made: Made;
}

/** Wraps an open workspace; whoever opened it closes it. */
export function createWorkspaceSource(workspace: Workspace, services: ScriptServices): WorkspaceSource {
  // By the workspace's own objects, which stay the same for a tool that did not change, so that compiled schemas stay good.
  const known = new WeakMap<WorkspaceTool, Named>();
  const sets = new WeakMap<WorkspaceSnapshot, { readonly set: ToolSet; readonly scriptTools: readonly ScriptTool[] }>();
  const make = (entry: WorkspaceTool, prefix: string, published: PublishedName | undefined): Made => {
    if (published?.kind === "refused") return asBroken(entry, prefix, published.problem);
    const existing = known.get(entry);
    if (existing?.prefix === prefix) return existing.made;
    const made = makeTool(entry, prefix, services);
    known.set(entry, { prefix, made });
    return made;
  };
  const current = (): { readonly set: ToolSet; readonly scriptTools: readonly ScriptTool[] } => {
    const snapshot = workspace.current();
    const existing = sets.get(snapshot);
    if (existing !== undefined) return existing;
    const { prefix } = snapshot.settings;
    const names = publishNames(snapshot.tools, prefix);
    const made = snapshot.tools.map((entry) => make(entry, prefix, names.get(entry)));
    const broken = made.flatMap((one) => (one.kind === "broken" ? [one.broken] : []));
    const unreadable = snapshot.state === "ok" ? undefined : fileError(snapshot);
    const set: ToolSet = {
      ...(unreadable === undefined ? {} : { unreadable }),
      generation: snapshot.generation,
      tools: made.flatMap((one) => (one.kind === "tool" ? [one.tool] : [])),
      broken: [...snapshot.broken.map((tool) => withPrefix(tool, prefix)), ...broken],
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
    refresh: (hint) =>
      workspace.refresh(
        hint.kind === "tool" ? { kind: "tool", name: plainName(hint.name, current().set, workspace.current().settings.prefix) } : hint,
      ),
    onChange: (listener) => workspace.onChange(listener),
    scriptTools: () => current().scriptTools,
  };
}

/** The error of tools.json or toolyard.json itself. */
function fileError({ problems }: WorkspaceSnapshot): Problem | undefined {
  return problems.find((problem) => problem.severity === "error" && problem.tool === undefined && problem.offer === undefined);
}

/** Text in a header or query parameter that looks like a template and is none: it is sent as it stands, which is seldom meant. */
function literalTemplates(made: Made): readonly Problem[] {
  if (made.kind === "broken") return [];
  const { entry, headers, query, auth } = made.scriptTool;
  const written = [
    ...headers.map(({ template }, index) => ({ template, place: entry.headers[index]?.place })),
    ...query.map(({ template }, index) => ({ template, place: entry.query[index]?.place })),
    ...(auth === undefined ? [] : [auth.clientId, auth.clientSecret].map((template) => ({ template, place: entry.auth?.place }))),
  ];
  return written.flatMap(({ template, place = entry.place }) =>
    template.warnings.map(({ code, message }) => ({ code, severity: "warning" as const, place, tool: entry.name, message })),
  );
}

function makeTool(entry: WorkspaceTool, prefix: string, services: ScriptServices): Made {
  try {
    const scriptTool = parseScriptTool(entry);
    return { kind: "tool", tool: createScriptTool(scriptTool, prefix + entry.name, services), scriptTool };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { name, place } = entry;
    return asBroken(entry, prefix, { code: "INVALID_VALUE", severity: "error", place, tool: name, message: messageOf(error) });
  }
}

function asBroken({ name, description }: WorkspaceTool, prefix: string, problem: Problem): Made {
  return { kind: "broken", broken: withPrefix({ name, description, problem }, prefix) };
}

function withPrefix(tool: BrokenTool, prefix: string): BrokenTool {
  return prefix === "" ? tool : { ...tool, name: prefix + tool.name, plainName: tool.name };
}

/** The workspace knows its tools by the names of its file. */
function plainName(called: string, { tools, broken }: ToolSet, prefix: string): string {
  const found = findByName([...tools.map((tool) => tool.definition), ...broken], called, (names) => names);
  // A name that is not known yet may be one that was just written.
  return found === undefined ? called.slice(called.startsWith(prefix) ? prefix.length : 0) : (found.plainName ?? found.name);
}
