/** What the workspace offers at one moment. */
import type { Problem } from "../core/problem.ts";
import type { BrokenTool } from "../core/tool.ts";
import { EMPTY_OFFERS, type WorkspaceOffers } from "./offers.ts";
import type { Settings } from "./settings-file.ts";
import type { WorkspaceTool } from "./workspace-tool.ts";

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

/** True if two moments differ in anything a user of the workspace can see. */
export function differs(a: WorkspaceSnapshot, b: WorkspaceSnapshot): boolean {
  if (a.state !== b.state || a.tools.length !== b.tools.length) return true;
  if (a.tools.some((tool, index) => tool !== b.tools[index])) return true;
  const seen = ({ broken, problems, settings, offers }: WorkspaceSnapshot): string => JSON.stringify([broken, problems, settings, offers]);
  return seen(a) !== seen(b);
}
