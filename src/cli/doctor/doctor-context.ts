import type { Problem } from "../../core/problem.ts";
import type { CliContext } from "../command.ts";
import type { ProbeWorkspace } from "./probe-workspace.ts";

/** What the probes of `doctor` look at. */
export interface DoctorContext {
  readonly cli: CliContext;
  /** The user's workspace; undefined where none was found. */
  readonly root: string | undefined;
  /** What is wrong with the one that TOOLYARD_WORKSPACE names. */
  readonly rootProblem: Problem | undefined;
  /** A workspace made for this run, so that probes can call tools without touching the user's. */
  readonly sample: ProbeWorkspace;
}
