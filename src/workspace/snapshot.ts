/** What the workspace offers at one moment, and how the next moment is made from the files and the one before. */
import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import type { BrokenTool } from "../core/tool.ts";
import type { ScriptBundles, TrialResult } from "./bundle/script-bundles.ts";
import type { Holding } from "./holding.ts";
import { EMPTY_OFFERS, type WorkspaceOffers } from "./offers.ts";
import { bundledScript, type ScriptOutcome, type ScriptSource } from "./script-source.ts";
import type { Settings } from "./settings-file.ts";
import type { EntryOutcome } from "./tool-entry.ts";
import type { WorkspaceReader } from "./workspace-reader.ts";
import { buildTool, keepIdentity, type WorkspaceTool } from "./workspace-tool.ts";

/** All of a workspace at one moment; never changed in place. */
export interface WorkspaceSnapshot {
  /** Rises with every change of anything below but `loadedAtMs`. */
  readonly generation: number;
  readonly tools: readonly WorkspaceTool[];
  readonly broken: readonly BrokenTool[];
  readonly offers: WorkspaceOffers;
  /** Errors and warnings, those of broken tools included. */
  readonly problems: readonly Problem[];
  readonly settings: Settings;
  /** Milliseconds since 1970 of the last change. */
  readonly loadedAtMs: number;
  /** `last-good`: a file is broken or gone, and what it said last stays in service. `empty`: nothing could be read yet. */
  readonly state: "ok" | "last-good" | "empty";
}

/** A workspace of which nothing was read yet; `loadedAtMs` in milliseconds since 1970. */
export function emptySnapshot(settings: Settings, loadedAtMs: number): WorkspaceSnapshot {
  return { generation: 0, tools: [], broken: [], offers: EMPTY_OFFERS, problems: [], settings, loadedAtMs, state: "empty" };
}

/** What making tools needs beside the files. */
export interface ToolContext {
  readonly reader: WorkspaceReader;
  readonly bundles: Pick<ScriptBundles, "look">;
  readonly holding: Holding;
  readonly previous: WorkspaceSnapshot | undefined;
  readonly settings: Settings;
  /** Limits of the server. */
  readonly base: Limits;
  /** A clock that never goes back, in milliseconds. */
  readonly nowMs: number;
  /** Milliseconds since 1970. */
  readonly dateMs: number;
}

/** Tools from entries and scripts. `scripts`: which script each tool's name, in lower case, needs. `things`: what may be held. */
export interface ToolsMade {
  readonly tools: readonly WorkspaceTool[];
  readonly broken: readonly BrokenTool[];
  readonly problems: readonly Problem[];
  readonly scripts: ReadonlyMap<string, string>;
  readonly things: readonly string[];
}

/** Makes the tools of a file's entries. One that worked and does not now stays for a moment, then is set aside. */
export function makeTools(entries: readonly EntryOutcome[], context: ToolContext): ToolsMade {
  const { holding, previous, nowMs, dateMs } = context;
  const before = new Map((previous?.tools ?? []).map((tool) => [tool.name.toLowerCase(), tool]));
  const brokenBefore = new Map((previous?.broken ?? []).map((tool) => [tool.name.toLowerCase(), tool]));
  const tools: WorkspaceTool[] = [];
  const broken: BrokenTool[] = [];
  const problems: Problem[] = [];
  const scripts = new Map<string, string>();
  const seen = new Set<string>();
  for (const outcome of entries) {
    const { name, description } = outcome.kind === "good" ? outcome.entry : outcome;
    const lower = name.toLowerCase();
    const isFirst = !seen.has(lower);
    seen.add(lower);
    const thing = thingOf(lower);
    if (outcome.kind === "good") scripts.set(lower, outcome.entry.script);
    const made = makeTool(outcome, context);
    const current = isFirst ? before.get(lower) : undefined;
    if (made.kind === "tool") {
      holding.release(thing);
      tools.push(keepIdentity(made.tool, current));
      problems.push(...made.problems);
      continue;
    }
    // A tool whose new bundle is not made yet is what it was before.
    const known = isFirst ? brokenBefore.get(lower) : undefined;
    if (made.kind === "pending" && current !== undefined) {
      tools.push(current);
      continue;
    }
    if (made.kind === "pending" && known !== undefined) {
      broken.push(known);
      problems.push(known.problem);
      continue;
    }
    if (made.kind === "broken" && isFirst && holding.isHeld(thing, nowMs) && current !== undefined) {
      tools.push(current);
      continue;
    }
    problems.push(...made.problems);
    const problem = made.problems.find(({ severity }) => severity === "error");
    if (problem === undefined) continue;
    const replacedAtMs = current === undefined ? known?.replacedAtMs : dateMs;
    broken.push({ name, description, problem, ...(replacedAtMs === undefined ? {} : { replacedAtMs }) });
  }
  return { tools, broken, problems, scripts, things: [...seen].map(thingOf) };
}

/** Name under which a tool is held; a tool may be named as a file is. */
export function thingOf(lowerName: string): string {
  return `tool ${lowerName}`;
}

type Made =
  | { readonly kind: "tool"; readonly tool: WorkspaceTool; readonly problems: readonly Problem[] }
  | { readonly kind: "broken" | "pending"; readonly problems: readonly Problem[] };

function makeTool(outcome: EntryOutcome, context: ToolContext): Made {
  if (outcome.kind === "broken") return { kind: "broken", problems: outcome.problems };
  const { entry, problems } = outcome;
  const { name: tool } = entry;
  const { reader, settings, base } = context;
  const script = reader.script(entry.script, settings.limits.scriptBytes);
  switch (script.kind) {
    case "bad-file": {
      const { code, message } = script;
      return { kind: "broken", problems: [{ code, severity: "error", place: entry.scriptPlace, message, tool }, ...problems] };
    }
    case "bad-text":
      return { kind: "broken", problems: [{ ...script.problem, tool }, ...problems] };
    case "module":
      return makeBundled(script, { entry, problems }, context);
    case "good": {
      const built = buildTool(entry, script.script, settings, base);
      const warnings = script.warnings.map((warning) => ({ ...warning, tool }));
      return { kind: "tool", tool: built.tool, problems: [...problems, ...warnings, ...built.problems] };
    }
  }
}

function makeBundled(
  { module, timeout, warnings }: Extract<ScriptOutcome, { kind: "module" }>,
  { entry, problems }: Omit<Extract<EntryOutcome, { kind: "good" }>, "kind">,
  { bundles, settings, base }: ToolContext,
): Made {
  const tool = entry.name;
  const place = { kind: "file", file: module.file } as const;
  const hardened = (entry.isolation ?? settings.isolation) === "tool";
  const state = bundles.look(module, { maxBytes: settings.limits.bundleBytes, hardened });
  switch (state.kind) {
    case "pending": {
      const message = `${module.file} is just being put together with what it imports.`;
      return { kind: "pending", problems: [{ code: "BUNDLING", severity: "error", place, message, tool }] };
    }
    case "bad":
      return { kind: "broken", problems: [{ ...state.problem, tool }, ...problems] };
    case "good": {
      const source = bundledScript(module.file, state.bundle, timeout);
      if (hardened && state.trial?.kind === "unfit")
        return { kind: "broken", problems: [unfitProblem(source, state.trial, tool), ...problems] };
      const built = buildTool(entry, source, settings, base);
      return {
        kind: "tool",
        tool: built.tool,
        problems: [...problems, ...warnings.map((warning) => ({ ...warning, tool })), ...built.problems],
      };
    }
  }
}

function unfitProblem(script: ScriptSource, { message, line, column }: Extract<TrialResult, { kind: "unfit" }>, tool: string): Problem {
  const found = line === undefined || column === undefined ? undefined : script.mapPlace?.(line, column);
  return {
    code: "HARDENED_REALM",
    severity: "error",
    place:
      found === undefined
        ? { kind: "file", file: script.file }
        : { kind: "position", file: found.file, line: found.line, column: found.column, sourceLine: "" },
    message: `This cannot live in isolation "tool", where built-in objects are frozen: ${message}`,
    mend: 'Set "isolation": "call" for the tool in tools.json.',
    tool,
  };
}

/** True if two moments differ in anything a user of the workspace can see. */
export function differs(a: WorkspaceSnapshot, b: WorkspaceSnapshot): boolean {
  if (a.state !== b.state || a.tools.length !== b.tools.length) return true;
  if (a.tools.some((tool, index) => tool !== b.tools[index])) return true;
  const seen = ({ broken, problems, settings, offers }: WorkspaceSnapshot): string => JSON.stringify([broken, problems, settings, offers]);
  return seen(a) !== seen(b);
}
