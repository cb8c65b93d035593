import type { Problem } from "../../core/problem.ts";
import { openTrust } from "../../policy/trust-store.ts";
import type { Probe } from "../probe.ts";
import { knownIdentity } from "../workspace-choice.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** A workspace is found from here, and it is the one that was recorded. */
export const workspaceProbe: Probe<DoctorContext> = {
  name: "workspace",
  about: "a workspace is found, and it is the one that was recorded",
  code: "FILE_MISSING",
  run: async ({ cli, root, rootProblem }): Promise<readonly Problem[]> => {
    if (root === undefined) return rootProblem === undefined ? [] : [rootProblem];
    const identity = knownIdentity(root);
    if (identity === undefined || openTrust(cli.config.home, identity).state() !== "moved") return [];
    const message = `${root} is not the workspace that was recorded: it moved, was copied, or another folder was put there. Its secrets and trust are off.`;
    return [{ code: "WORKSPACE_ID", severity: "warning", place: { kind: "none" }, message, mend: `toolyard trust -w '${root}'` }];
  },
};
