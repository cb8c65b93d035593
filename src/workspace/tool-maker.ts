/** How the next moment's tools are made from the files and the moment before. */
import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import type { BrokenTool } from "../core/tool.ts";
import type { Holding } from "./holding.ts";
import type { ScriptOutcome } from "./script-source.ts";
import type { Settings } from "./settings-file.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";
import type { EntryOutcome, ToolEntry } from "./tool-entry.ts";
import type { WorkspaceReader } from "./workspace-reader.ts";
import { buildTool, keepIdentity, type WorkspaceTool } from "./workspace-tool.ts";

/** What tools are made with, the same for the life of a workspace. */
export interface ToolParts {
  readonly reader: WorkspaceReader;
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

/** A maker of tools; of a thousand tools it makes only those anew whose entry, script or settings are others. */
export function createToolMaker({ reader, holding, base }: ToolParts): ToolMaker {
  const known = new WeakMap<ToolEntry, { readonly script: ScriptOutcome; readonly settings: Settings; readonly made: Made }>();
  const makeOne = (outcome: EntryOutcome, settings: Settings): Made => {
    if (outcome.kind === "broken") return outcome;
    const { entry } = outcome;
    const script = reader.script(entry.script, settings.limits.scriptBytes);
    const earlier = known.get(entry);
    if (earlier?.script === script && earlier.settings === settings) return earlier.made;
    const made = makeTool(outcome, script, { settings, base });
    known.set(entry, { script, settings, made });
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
    const current = isFirst ? before.get(lower) : undefined;
    if (made.kind === "tool") {
      holding.release(thing);
      tools.push(keepIdentity(made.tool, current));
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
    const replacedAtMs = current === undefined ? (isFirst ? brokenBefore.get(lower)?.replacedAtMs : undefined) : dateMs;
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

function makeTool(
  { entry, problems }: Extract<EntryOutcome, { kind: "good" }>,
  script: ScriptOutcome,
  { settings, base }: { readonly settings: Settings; readonly base: Limits },
): Made {
  const { name: tool } = entry;
  switch (script.kind) {
    case "bad-file": {
      const { code, message } = script;
      return { kind: "broken", problems: [{ code, severity: "error", place: entry.scriptPlace, message, tool }, ...problems] };
    }
    case "bad-text":
      return { kind: "broken", problems: [{ ...script.problem, tool }, ...problems] };
    case "good": {
      const built = buildTool(entry, script.script, settings, base);
      const warnings = script.warnings.map((warning) => ({ ...warning, tool }));
      return { kind: "tool", tool: built.tool, problems: [...problems, ...warnings, ...built.problems] };
    }
  }
}
