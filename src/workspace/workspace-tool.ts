/** A tool of the workspace: its entry, its script and the limits in force, as one value that never changes. */
import { hash } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import { type Place, type Problem, placeText } from "../core/problem.ts";
import type { ToolAnnotations } from "../core/tool.ts";
import type { AuthEntry } from "./auth-entry.ts";
import type { AddedEntry } from "./entry-checks.ts";
import { largestAllowed, layLimits } from "./limits-in-force.ts";
import type { ScriptSource } from "./script-source.ts";
import type { Settings } from "./settings-file.ts";
import type { ToolEntry } from "./tool-entry.ts";

/** A tool that works, as far as its files tell, or will once its script is put together. */
export interface WorkspaceTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the arguments as written; without one in the file, any object. */
  readonly parameters: JsonObject;
  readonly output?: JsonObject | boolean;
  readonly annotations?: ToolAnnotations;
  /** Wall clock of one call in milliseconds: the smaller of entry and script, at most the maximum. */
  readonly timeoutMs: number;
  /** Where the time limit comes from and how far it can go, for messages: `"timeout" in tools.json:22; at most 300`. */
  readonly timeoutHint: string;
  readonly headers: readonly AddedEntry[];
  readonly query: readonly AddedEntry[];
  readonly auth?: AuthEntry;
  /** As written; absent: any public host. */
  readonly allowedHosts?: readonly string[];
  readonly config: JsonObject;
  /** Limits of one call of this tool. */
  readonly limits: Limits;
  readonly isolation: "tool" | "call";
  /** Whether arguments written as text are read as what they stand for. */
  readonly repair: boolean;
  readonly script: ScriptSource;
  /** Why it cannot be called yet: its script is just being put together. Absent: it can. */
  readonly pending?: Problem;
  readonly place: Place;
  /** SHA-256 over everything that decides what a call does; the same for a tool that only moved in the file. */
  readonly key: string;
}

/** A tool and the warnings about its limits. */
export interface BuiltTool {
  readonly tool: WorkspaceTool;
  readonly problems: readonly Problem[];
}

const MIB = 1_024 * 1_024;

/** Puts entry, script and settings together; `base` are the limits of the server. */
export function buildTool(entry: ToolEntry, script: ScriptSource, settings: Settings, base: Limits): BuiltTool {
  const timeout = timeoutInForce(entry, script, settings, base);
  const chosen = layLimits(settings.limits, entry.limits);
  const limits: Limits = Object.freeze({
    ...chosen,
    callTimeoutMs: timeout.timeoutMs,
    // A body is held as bytes and as text while the script reads it.
    responseBodyBytes: Math.min(chosen.responseBodyBytes, Math.floor((chosen.memoryMb * MIB) / 4)),
  });
  const { name, title, description, parameters, output, annotations, allowedHosts, config, place } = entry;
  const decisive = {
    name,
    description,
    parameters,
    config,
    limits,
    timeoutMs: timeout.timeoutMs,
    isolation: entry.isolation ?? settings.isolation,
    repair: (entry.repair ?? true) && settings.repair,
    ...(title === undefined ? {} : { title }),
    ...(output === undefined ? {} : { output }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
  };
  const { headers = [], query = [], auth } = entry;
  const sentFacts = [headers.map(withoutPlace), query.map(withoutPlace), auth === undefined ? null : withoutPlace(auth)];
  const key = hash("sha256", JSON.stringify([decisive, sentFacts, script.file, script.sha256]));
  return {
    tool: {
      ...{ ...decisive, headers, query, script, place, key, timeoutHint: timeout.hint },
      ...(auth === undefined ? {} : { auth }),
    },
    problems: timeout.problems,
  };
}

function withoutPlace<Item extends { readonly place: Place }>({ place: _place, ...facts }: Item): Omit<Item, "place"> {
  return facts;
}

/**
 * The tool to serve where an edit left everything that decides a call as it was: the one before, or where only its
 * place moved, a new one that shares all parts with it, so that what was compiled for them stays good.
 */
export function keepIdentity(next: WorkspaceTool, previous: WorkspaceTool | undefined): WorkspaceTool {
  if (previous === undefined || previous.key !== next.key) return next;
  const { parameters, config, limits, script } = previous;
  const outputs = previous.output === undefined ? {} : { output: previous.output };
  // Of files that were not read again the places are the very same objects, and a thousand of them are long as text.
  const isSamePlace =
    previous.timeoutHint === next.timeoutHint &&
    (previous.place === next.place || JSON.stringify(previous.place) === JSON.stringify(next.place));
  return isSamePlace ? previous : { ...next, parameters, config, limits, script, ...outputs };
}

function timeoutInForce(
  entry: ToolEntry,
  script: ScriptSource,
  settings: Settings,
  base: Limits,
): { readonly timeoutMs: number; readonly hint: string; readonly problems: readonly Problem[] } {
  const most = largestAllowed("callTimeoutMs", base);
  const bound = `at most ${most / 1_000}`;
  const written: { readonly label: string; readonly timeoutMs: number; readonly place: Place }[] = [];
  if (entry.timeout !== undefined) written.push({ label: '"timeout"', ...entry.timeout });
  if (script.timeoutMs !== undefined && script.timeoutPlace !== undefined) {
    written.push({ label: "@timeout", timeoutMs: script.timeoutMs, place: script.timeoutPlace });
  }
  const problems = written.flatMap(({ label, timeoutMs, place }): readonly Problem[] => {
    if (timeoutMs <= most) return [];
    const message = `${label} is ${timeoutMs / 1_000} s; ${bound} s. ${most / 1_000} s is used.`;
    return [{ code: "TIMEOUT_RANGE", severity: "warning", place, message, tool: entry.name }];
  });
  const least = written.toSorted((a, b) => a.timeoutMs - b.timeoutMs)[0];
  if (least === undefined) {
    return { timeoutMs: settings.limits.callTimeoutMs, hint: `the default; "timeout" in tools.json sets it, ${bound}`, problems };
  }
  const { label, timeoutMs, place } = least;
  const where = place.kind === "position" ? `${place.file}:${place.line}` : placeText(place);
  return { timeoutMs: Math.min(timeoutMs, most), hint: `${label} in ${where}; ${bound}`, problems };
}
