import type { Log } from "../core/log.ts";
import { placeText } from "../core/problem.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";

/** Writes one event for the change, and one for each problem that was not there before. */
export function logChange(log: Log, previous: WorkspaceSnapshot, { generation, tools, broken, problems, state }: WorkspaceSnapshot): void {
  log.info("workspace.changed", { generation, tools: tools.length, broken: broken.length, state });
  const told = new Set(previous.problems.map((problem) => JSON.stringify(problem)));
  for (const problem of problems) {
    if (told.has(JSON.stringify(problem))) continue;
    const { code, severity, tool, message, place } = problem;
    log.warn("workspace.problem", { code, severity, message, place: placeText(place), ...(tool === undefined ? {} : { tool }) });
  }
}
