/** A workspace that had agents and defines none now: nobody may use it until a person says what shall be. */
import type { Problem } from "../core/problem.ts";
import { SETTINGS_FILE } from "../workspace/settings-file.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { UsageError } from "./usage-error.ts";

/** What of a workspace says whether it has agents. */
type AgentFacts = Pick<WorkspaceSnapshot, "settings" | "state">;

/** What is so, in one sentence without its end. */
const FOUND = `This workspace had agents, and ${SETTINGS_FILE} defines none now; without them every caller would get every tool`;

/**
 * True if agents are lost. `hadAgents`: what is recorded in toolyard's own folder, which alone counts. Files that cannot be
 * read say nothing of agents.
 */
export function areAgentsLost({ settings, state }: AgentFacts, hadAgents: boolean): boolean {
  return hadAgents && settings.agents.length === 0 && state === "ok";
}

/** Throws {@link UsageError} where agents are lost, with both ways out. */
export function refuseLostAgents(snapshot: AgentFacts, hadAgents: boolean): void {
  if (areAgentsLost(snapshot, hadAgents)) throw new UsageError(`${FOUND}. ${mendText("")}`);
}

/** The same as a finding, or none. `flag`: see `workspaceFlag`. */
export function lostAgentsProblems(snapshot: AgentFacts, hadAgents: boolean, flag: string): readonly Problem[] {
  if (!areAgentsLost(snapshot, hadAgents)) return [];
  const place = { kind: "file", file: SETTINGS_FILE } as const;
  return [{ code: "AGENTS_LOST", severity: "error", place, message: `${FOUND}, so nobody may use it.`, mend: mendText(flag) }];
}

function mendText(flag: string): string {
  return `Define them again, or say that there shall be none any more: toolyard trust${flag}`;
}
