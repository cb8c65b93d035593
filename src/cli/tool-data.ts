import { ToolError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { Caller } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * The list of tools, or one of them, as GetWorkspaceTools gives it to a client: there is one shape for both.
 * Throws the `ToolError` of the call, such as TOOL_NOT_FOUND.
 */
export async function toolListData(engine: Engine, caller: Caller, name?: string): Promise<JsonValue> {
  const args = name === undefined ? {} : { name };
  const result = await engine.call(caller, { name: "GetWorkspaceTools", args, signal: new AbortController().signal });
  if (result.kind === "error") throw new ToolError(result.code, result.message, { data: result.data });
  return result.value;
}
