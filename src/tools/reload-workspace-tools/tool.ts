import { warnIgnored } from "../../core/ignored-arguments.ts";
import { LIMITS } from "../../core/limits.ts";
import { lastGoodNote, problemData } from "../../core/problem.ts";
import type { Tool } from "../../core/tool.ts";

const DESCRIPTION =
  "Reads the workspace's files again and says which tools were added, removed, changed or are broken, and which of that your client does not list. " +
  "Edits are live on the next call without it.";

/** What clients read of the tool where ExecuteWorkspaceTool is not shown. */
export const DESCRIPTION_WITHOUT_EXECUTE = `${DESCRIPTION} A tool your client does not list yet can be called by its own name, if your client lets you; else it has to be connected again.`;

/** Reads the workspace again and says what changed. Edits are live without it; it is for being sure, and for the report. */
export const reloadWorkspaceTools: Tool = {
  definition: {
    name: "ReloadWorkspaceTools",
    description: `${DESCRIPTION} A tool your client does not list yet can be called with ExecuteWorkspaceTool.`,
    parameters: { type: "object", properties: {} },
    annotations: { title: "Reload workspace tools", readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    timeoutMs: LIMITS.callTimeoutMs.default,
  },
  status: () => ({ kind: "ready" }),
  call: async (context, args) => {
    const ignored = warnIgnored(context, "ReloadWorkspaceTools", args, []);
    const { services } = context;
    const { problems, unseen, unreadable, ...report } = await services.reload();
    const clientList = unseen === undefined ? {} : { clientList: { isCurrent: false, ...unseen, note: listNote(services.hasExecute) } };
    const notes = [...(unreadable === undefined ? [] : [lastGoodNote(unreadable)]), ...(ignored === undefined ? [] : [ignored])];
    const note = notes.length === 0 ? {} : { note: notes.join(" ") };
    return { kind: "value", value: { ...report, ...note, ...clientList, problems: problems.map(problemData) } };
  },
};

/** What a model can do whose client keeps an old list. */
function listNote(hasExecute: boolean): string {
  const how = hasExecute ? "with ExecuteWorkspaceTool" : "by its own name, if your client lets you";
  return (
    "The list of tools that this client has lacks these changes, and the client may not fetch it again by itself. " +
    `Call an added tool ${how}, read the parameters of a changed one with GetWorkspaceTools and its name, and do not call removed ones. ` +
    "Connecting the client again brings its list up to date."
  );
}
