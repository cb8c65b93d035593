import { warnIgnored } from "../../core/ignored-arguments.ts";
import { LIMITS } from "../../core/limits.ts";
import { lastGoodNote, problemData } from "../../core/problem.ts";
import type { Tool } from "../../core/tool.ts";

/** Reads the workspace again and says what changed. Edits are live without it; it is for being sure, and for the report. */
export const reloadWorkspaceTools: Tool = {
  definition: {
    name: "ReloadWorkspaceTools",
    description:
      "Reads the workspace's files again and says which tools were added, removed, changed or are broken. " +
      "Edits are live on the next call without it. A tool your client does not list yet can be called with ExecuteWorkspaceTool.",
    parameters: { type: "object", properties: {} },
    annotations: { title: "Reload workspace tools", readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    timeoutMs: LIMITS.callTimeoutMs.default,
  },
  status: () => ({ kind: "ready" }),
  call: async (context, args) => {
    warnIgnored(context, "ReloadWorkspaceTools", args, []);
    const { problems, unreadable, ...report } = await context.services.reload();
    const note = unreadable === undefined ? {} : { note: lastGoodNote(unreadable) };
    return { kind: "value", value: { ...report, ...note, problems: problems.map(problemData) } };
  },
};
