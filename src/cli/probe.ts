/** `check` and `doctor` are lists of probes, one file each; a new one is a file and a line in the list. */
import { messageOf, ToolError } from "../core/errors.ts";
import type { FindingCode, Problem } from "../core/problem.ts";

/** One thing that is looked at. */
export interface Probe<Context> {
  readonly name: string;
  /** What is so when the probe finds nothing, in a few words: "starts, and stops a script that loops". */
  readonly about: string;
  /** Code of the finding where the probe itself fails. */
  readonly code: FindingCode;
  run(context: Context): readonly Problem[] | Promise<readonly Problem[]>;
  /** Something worth knowing that is no fault, shown in place of `about` where the probe finds nothing. */
  note?(context: Context): string | undefined | Promise<string | undefined>;
}

/** A probe with what it found. */
export interface ProbeResult {
  readonly name: string;
  readonly about: string;
  readonly problems: readonly Problem[];
  readonly note?: string;
}

/** Runs the probes one after the other; one that throws becomes a finding of its own, and the others still run. */
export async function runProbes<Context>(probes: readonly Probe<Context>[], context: Context): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = [];
  for (const probe of probes) {
    const { name, about } = probe;
    try {
      const problems = await probe.run(context);
      const note = problems.length === 0 ? await probe.note?.(context) : undefined;
      results.push({ name, about, problems, ...(note === undefined ? {} : { note }) });
    } catch (error) {
      const code = error instanceof ToolError ? `${error.code}: ` : "";
      const problem: Problem = {
        code: probe.code,
        severity: "error",
        place: { kind: "none" },
        message: `${name}: ${code}${messageOf(error)}`,
      };
      results.push({ name, about, problems: [problem] });
    }
  }
  return results;
}
