import { shownName } from "../core/text.ts";
import type { ListedTool } from "../core/tool.ts";
import type { ReadHint } from "../results/hints.ts";
import { metaTools } from "../tools/index.ts";
import { DESCRIPTION_WITHOUT_EXECUTE, reloadWorkspaceTools } from "../tools/reload-workspace-tools/tool.ts";

/** Which tools a client is shown: all, only the server's own, or the workspace's with the two own ones that call nothing. */
export type Expose = "both" | "meta" | "direct";

const META_NAMES: readonly string[] = metaTools.map((tool) => tool.definition.name);
/** With `direct` every call goes by the tool's own name, so that a person who approves calls sees what is called. */
const OWN_IN_DIRECT: readonly string[] = ["GetWorkspaceTools", "ReloadWorkspaceTools"];

/** The tools of a list that clients are shown. Entries that are set aside cannot be called and are not shown. */
export function exposedTools(tools: readonly ListedTool[], expose: Expose): readonly ListedTool[] {
  const shown = tools.filter((tool) => tool.status.kind !== "broken" && refusalOf(tool.name, expose) === undefined);
  if (canExecute(expose)) return shown;
  const { name } = reloadWorkspaceTools.definition;
  return shown.map((tool) => (tool.name === name ? { ...tool, description: DESCRIPTION_WITHOUT_EXECUTE } : tool));
}

/** True if ExecuteWorkspaceTool is among the tools that are shown. */
export function canExecute(expose: Expose): boolean {
  return expose !== "direct";
}

/** How a client reads what is left out of a result: by resource where the tool for it is not shown. */
export function readHintOf(expose: Expose): ReadHint {
  return expose === "direct" ? "resource" : "tool";
}

/** Why a name is not callable here, undefined where it may be: what is not shown is not called either. */
export function refusalOf(name: string, expose: Expose): string | undefined {
  const isMeta = META_NAMES.includes(name);
  if (expose === "meta" && !isMeta) {
    return `This server shows only its own tools. Call "${shownName(name)}" through ExecuteWorkspaceTool; GetWorkspaceTools lists what there is.`;
  }
  if (expose === "direct" && name === "ReadWorkspaceResult") {
    return "This server gives what is left out of a result as a resource: read toolyard://results/ID, with the id that the result named.";
  }
  if (expose === "direct" && isMeta && !OWN_IN_DIRECT.includes(name)) {
    return `This server shows workspace tools under their own names. Call the tool itself instead of ${name}.`;
  }
  return undefined;
}
