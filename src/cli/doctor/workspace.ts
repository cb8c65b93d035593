import type { Problem } from "../../core/problem.ts";
import { shellWord } from "../../core/shell-word.ts";
import { folderTrust } from "../../engine/folder-trust.ts";
import { lostAgentsProblems } from "../lost-agents.ts";
import type { Probe } from "../probe.ts";
import { settingsAsTheyAre } from "../workspace-choice.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** What of it this one looks at. */
type WorkspaceFacts = Pick<DoctorContext, "root" | "rootProblem"> & { readonly cli: Pick<DoctorContext["cli"], "config"> };

/** A workspace that is found from here is the one that was recorded, and has its agents still. Most folders hold none, which is no fault. */
export const workspaceProbe: Probe<WorkspaceFacts> = {
  name: "workspace",
  about: "a workspace is found, and it is the one that was recorded",
  code: "FILE_MISSING",
  run: async ({ cli, root, rootProblem }): Promise<readonly Problem[]> => {
    if (root === undefined) return rootProblem === undefined ? [] : [rootProblem];
    const trust = folderTrust(root, cli.config.home);
    const flag = ` -w ${shellWord(root)}`;
    const lost = lostAgentsProblems(settingsAsTheyAre(root), trust.hadAgents(), flag);
    if (trust.state() !== "moved") return lost;
    const message = `${root} is not the workspace that was recorded: it moved, was copied, or another folder was put there. Its secrets and trust are off.`;
    return [{ code: "WORKSPACE_ID", severity: "warning", place: { kind: "none" }, message, mend: `toolyard trust${flag}` }, ...lost];
  },
  note: ({ root }) =>
    root === undefined ? "no workspace here, so none was looked at; name one with -w DIR, or make one: toolyard init DIR" : undefined,
};
