/**
 * Tools in code. Each is a folder of its own and a line here. They see the server only through CallContext.services,
 * which never shows more than their caller may see.
 */
import type { Tool } from "../core/tool.ts";
import { executeWorkspaceTool } from "./execute-workspace-tool/tool.ts";
import { getWorkspaceTools } from "./get-workspace-tools/tool.ts";
import { readWorkspaceResult } from "./read-workspace-result/tool.ts";
import { reloadWorkspaceTools } from "./reload-workspace-tools/tool.ts";

/** The server's own tools, there with an empty or broken workspace too. */
export const metaTools: readonly Tool[] = [getWorkspaceTools, executeWorkspaceTool, reloadWorkspaceTools, readWorkspaceResult];
