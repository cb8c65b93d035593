import type { ClientReport } from "../../clients/verdicts.ts";
import type { Place } from "../../core/problem.ts";
import type { ListedTool } from "../../core/tool.ts";
import type { CliRuntime } from "../cli-runtime.ts";

/** What the probes of `check` look at. */
export interface CheckContext {
  readonly runtime: CliRuntime;
  /** The workspace's tools, those set aside included, as a caller that may use all of them sees them. */
  readonly tools: readonly ListedTool[];
  /** What every known client makes of them. */
  readonly clients: readonly ClientReport[];
  /** Where a tool of this listed name stands. */
  readonly placeOf: (tool: string) => Place;
  /** Toolyard's own folder. */
  readonly home: string;
  /** What suggested commands need to mean this workspace; see `workspaceFlag`. */
  readonly flag: string;
}
