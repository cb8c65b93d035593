import type { Problem } from "../../core/problem.ts";
import { shellWord } from "../../core/shell-word.ts";
import { openTrust } from "../../policy/trust-store.ts";
import type { Probe } from "../probe.ts";
import { knownIdentity } from "../workspace-choice.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** A workspace that is found from here is the one that was recorded. Most folders hold none, which is no fault. */
export const workspaceProbe: Probe<DoctorContext> = {
  name: "workspace",
  about: "a workspace is found, and it is the one that was recorded",
  code: "FILE_MISSING",
  run: async ({ cli, root, rootProblem }): Promise<readonly Problem[]> => {
    if (root === undefined) return rootProblem === undefined ? [] : [rootProblem];
    const identity = knownIdentity(root);
    if (identity === undefined || openTrust(cli.config.home, identity).state() !== "moved") return [];
    const message = `${root} is not the workspace that was recorded: it moved, was copied, or another folder was put there. Its secrets and trust are off.`;
    return [{ code: "WORKSPACE_ID", severity: "warning", place: { kind: "none" }, message, mend: `toolyard trust -w ${shellWord(root)}` }];
  },
  note: ({ root }) =>
    root === undefined ? "no workspace here, so none was looked at; name one with -w DIR, or make one: toolyard init DIR" : undefined,
};
