/** How the next moment's tools are made from the files and the moment before. */
import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import type { BrokenTool } from "../core/tool.ts";
import type { BundleState, ScriptBundles, TrialResult } from "./bundle/script-bundles.ts";
import type { Holding } from "./holding.ts";
import { bundledScript, type ScriptOutcome, type ScriptSource, unbundledScript } from "./script-source.ts";
import type { Settings } from "./settings-file.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";
import type { EntryOutcome, ToolEntry } from "./tool-entry.ts";
import type { WorkspaceReader } from "./workspace-reader.ts";
import { buildTool, keepIdentity, type WorkspaceTool } from "./workspace-tool.ts";

/** What tools are made with, the same for the life of a workspace. */
export interface ToolParts {
  readonly reader: WorkspaceReader;
  readonly bundles: Pick<ScriptBundles, "look">;
  readonly holding: Holding;
  /** Limits of the server. */
  readonly base: Limits;
}

/** The moment for which tools are made. */
export interface ToolMoment {
  readonly previous: WorkspaceSnapshot;
  readonly settings: Settings;
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

/** Makes the tools of a workspace, moment after moment. */
export interface ToolMaker {
  /** The tools of a file's entries. One that worked and does not now stays for a moment, then is set aside. */
  make(entries: readonly EntryOutcome[], moment: ToolMoment): ToolsMade;
}

/** A maker of tools; of a thousand tools it makes only those anew whose entry, script, bundle or settings are others. */
export function createToolMaker({ reader, bundles, holding, base }: ToolParts): ToolMaker {
  const known = new WeakMap<ToolEntry, MadeFrom & { readonly settings: Settings; readonly made: Made }>();
  const makeOne = (outcome: EntryOutcome, settings: Settings): Made => {
    if (outcome.kind === "broken") return outcome;
    const { entry } = outcome;
    const script = reader.script(entry.script, settings.limits.scriptBytes);
    const hardened = (entry.isolation ?? settings.isolation) === "tool";
    const { bundleBytes } = settings.limits;
    const bundle = script.kind === "module" ? bundles.look(script.module, { maxBytes: bundleBytes, hardened }) : undefined;
    const earlier = known.get(entry);
    if (earlier?.script === script && earlier.bundle === bundle && earlier.settings === settings) return earlier.made;
    const made = makeTool(outcome, { script, bundle }, { settings, base });
    known.set(entry, { script, bundle, settings, made });
    return made;
  };
  return { make: (entries, moment) => makeTools(entries, moment, { holding, makeOne }) };
}

function makeTools(
  entries: readonly EntryOutcome[],
  { previous, settings, nowMs, dateMs }: ToolMoment,
  { holding, makeOne }: { readonly holding: Holding; readonly makeOne: (outcome: EntryOutcome, settings: Settings) => Made },
): ToolsMade {
  const before = new Map(previous.tools.map((tool) => [tool.name.toLowerCase(), tool]));
  const brokenBefore = new Map(previous.broken.map((tool) => [tool.name.toLowerCase(), tool]));
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
    const made = makeOne(outcome, settings);
    const last = isFirst ? before.get(lower) : undefined;
    const current = last?.pending === undefined ? last : undefined;
    // A tool whose new bundle is not made yet is what it was before.
    const earlier = isFirst ? brokenBefore.get(lower) : undefined;
    const isPending = made.kind === "tool" && made.tool.pending !== undefined;
    if (isPending && current !== undefined) {
      tools.push(current);
      continue;
    }
    if (isPending && earlier !== undefined) {
      broken.push(earlier);
      problems.push(earlier.problem);
      continue;
    }
    if (made.kind === "tool") {
      holding.release(thing);
      tools.push(keepIdentity(made.tool, last));
      problems.push(...made.problems);
      continue;
    }
    if (isFirst && holding.isHeld(thing, nowMs) && current !== undefined) {
      tools.push(current);
      continue;
    }
    problems.push(...made.problems);
    const problem = made.problems.find(({ severity }) => severity === "error");
    if (problem === undefined) continue;
    const replacedAtMs = current === undefined ? earlier?.replacedAtMs : dateMs;
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
  | { readonly kind: "broken"; readonly problems: readonly Problem[] };

/** What one tool is made from beside its entry. `bundle`: of a script that is a module. */
interface MadeFrom {
  readonly script: ScriptOutcome;
  readonly bundle: BundleState | undefined;
}

type Entry = Extract<EntryOutcome, { kind: "good" }>;

interface Surroundings {
  readonly settings: Settings;
  readonly base: Limits;
}

function makeTool({ entry, problems }: Entry, { script, bundle }: MadeFrom, { settings, base }: Surroundings): Made {
  const { name: tool } = entry;
  switch (script.kind) {
    case "bad-file": {
      const { code, message } = script;
      return { kind: "broken", problems: [{ code, severity: "error", place: entry.scriptPlace, message, tool }, ...problems] };
    }
    case "bad-text":
      return { kind: "broken", problems: [{ ...script.problem, tool }, ...problems] };
    case "module":
      return makeBundled(script, bundle ?? { kind: "pending" }, { entry, problems, settings, base });
    case "good": {
      const built = buildTool(entry, script.script, settings, base);
      const warnings = script.warnings.map((warning) => ({ ...warning, tool }));
      return { kind: "tool", tool: built.tool, problems: [...problems, ...warnings, ...built.problems] };
    }
  }
}

function makeBundled(
  { module, timeout, warnings }: Extract<ScriptOutcome, { kind: "module" }>,
  state: BundleState,
  { entry, problems, settings, base }: Omit<Entry, "kind"> & Surroundings,
): Made {
  const tool = entry.name;
  const place = { kind: "file", file: module.file } as const;
  switch (state.kind) {
    case "pending": {
      const message = `${module.file} is just being put together with what it imports.`;
      const pending: Problem = { code: "BUNDLING", severity: "warning", place, message, tool };
      // Listed as its entry says: some clients ask for the list once only.
      const built = buildTool(entry, unbundledScript(module, timeout), settings, base);
      return { kind: "tool", tool: { ...built.tool, pending }, problems: [pending, ...problems] };
    }
    case "bad":
      return { kind: "broken", problems: [{ ...state.problem, tool }, ...problems] };
    case "good": {
      const source = bundledScript(module.file, state.bundle, timeout);
      if ((entry.isolation ?? settings.isolation) === "tool" && state.trial?.kind === "unfit")
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
