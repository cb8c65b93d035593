import { lostAgentsProblems } from "../lost-agents.ts";
import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";

/** Agents that the workspace had are still defined, or a person ended that. */
export const agentsProbe: Probe<CheckContext> = {
  name: "agents",
  about: "agents that were defined once still are",
  code: "AGENTS_LOST",
  run: ({ runtime, flag }) => lostAgentsProblems(runtime.workspace.current(), runtime.trust().hadAgents(), flag),
};
