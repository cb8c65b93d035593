/** Limits of a workspace: it may lower each and raise those with a range, up to the end of that range. */
import { LIMITS, type LimitName, type Limits, limitNames } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import { below, problemAt, type Spot } from "./zod-problems.ts";

/** Limits as one file or tool sets them, already in range. */
export type LimitChoices = { readonly [name in LimitName]?: number };

/** Values in range and the findings about those that were not. */
export interface CappedLimits {
  readonly limits: LimitChoices;
  readonly problems: readonly Problem[];
}

/** Largest value a workspace may set: the end of the range, or what the person who runs the server allowed beyond it. */
export function largestAllowed(name: LimitName, base: Limits): number {
  return Math.max(LIMITS[name].workspaceMax, base[name]);
}

/**
 * Brings written limits into range, each change a warning. `keys` maps a key of the file to the limit it sets;
 * without it keys are names of limits.
 */
export function capLimits(
  written: Readonly<Record<string, unknown>>,
  base: Limits,
  { spot, keys }: { readonly spot: Spot; readonly keys?: Readonly<Record<string, LimitName>> },
): CappedLimits {
  const limits: { [name in LimitName]?: number } = {};
  const problems: Problem[] = [];
  if (Object.keys(written).length === 0) return { limits, problems };
  const pairs = keys === undefined ? limitNames().map((name) => [name, name] as const) : Object.entries(keys);
  for (const [key, name] of pairs) {
    const value = written[key];
    if (typeof value !== "number") continue;
    const most = largestAllowed(name, base);
    const used = Math.min(Math.max(value, LIMITS[name].min), most);
    limits[name] = used;
    if (used === value) continue;
    const bound = used === most ? `at most ${most}` : `at least ${LIMITS[name].min}`;
    const message = `"${key}" is ${value}; a workspace may set ${bound} (${LIMITS[name].unit}). ${used} is used.`;
    problems.push(problemAt(below(spot, key), { code: "LIMIT_RANGE", severity: "warning", message }));
  }
  return { limits, problems };
}

/**
 * The base with choices laid over it, in order. A limit that can only be lowered is the least of all; one with a range
 * is what was chosen last.
 */
export function layLimits(base: Limits, ...choices: readonly LimitChoices[]): Limits {
  const result: { [name in LimitName]: number } = { ...base };
  for (const choice of choices) {
    for (const name of limitNames()) {
      const value = choice[name];
      if (value === undefined) continue;
      const canRaise = LIMITS[name].workspaceMax > LIMITS[name].default;
      result[name] = canRaise ? value : Math.min(result[name], value);
    }
  }
  return Object.freeze(result);
}
