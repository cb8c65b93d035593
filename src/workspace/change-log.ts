import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { placeText } from "../core/problem.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";

/** One line for a new state of the workspace, and one for each problem that is new in it. */
export function logChange(log: Log, previous: WorkspaceSnapshot, next: WorkspaceSnapshot): void {
  const { generation, tools, broken, problems, state } = next;
  log.info("workspace.changed", { generation, tools: tools.length, broken: broken.length, state });
  const told = new Set(previous.problems.map((problem) => JSON.stringify(problem)));
  for (const problem of problems) {
    // What is only on its way is no problem yet.
    if (told.has(JSON.stringify(problem)) || problem.code === "BUNDLING") continue;
    const { code, severity, tool, message, place } = problem;
    log.warn("workspace.problem", { code, severity, message, place: placeText(place), ...(tool === undefined ? {} : { tool }) });
  }
}

/** Tells of a change. A listener that fails keeps neither the others, nor the next edit, from arriving. */
export function tellListeners(listeners: Iterable<() => void>, log: Log): void {
  for (const listener of listeners) {
    try {
      listener();
    } catch (error) {
      log.error("workspace.listener.failed", { reason: messageOf(error) });
    }
  }
}
