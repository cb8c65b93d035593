import type { ListedTool } from "../../core/tool.ts";
import type { CliRuntime } from "../cli-runtime.ts";

/** What the probes of `check` look at. */
export interface CheckContext {
  readonly runtime: CliRuntime;
  /** The workspace's tools, those set aside included, as a caller that may use all of them sees them. */
  readonly tools: readonly ListedTool[];
  /** What suggested commands need to mean this workspace; see `workspaceFlag`. */
  readonly flag: string;
}
