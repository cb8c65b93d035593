import { ToolError } from "../../core/errors.ts";
import { warnIgnored } from "../../core/ignored-arguments.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { CallContext, CallResult, Tool, ToolOutcome } from "../../core/tool.ts";

const KNOWN_KEYS = ["name", "arguments"];

/** Calls a workspace tool by name, so that a tool made after a client fetched its list can be reached at once. */
export const executeWorkspaceTool: Tool = {
  definition: {
    name: "ExecuteWorkspaceTool",
    description:
      "Calls a tool of this workspace by name and gives its own result. " +
      "GetWorkspaceTools lists the names and the parameters each one takes; use it first.",
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", description: "Name of the workspace tool." },
        arguments: { type: "object", description: "Arguments for that tool, as its parameters say." },
      },
      required: ["name"],
    },
    annotations: { title: "Call a workspace tool", destructiveHint: true, openWorldHint: true },
    timeoutMs: LIMITS.callTimeoutMs.workspaceMax,
  },
  status: () => ({ kind: "ready" }),
  repair: (args) => ({ ...args, ...argumentsOf(args) }),
  call: execute,
};

/** Some models write `parameters`, some send nothing as null or as empty text; JSON text is read as any tool's is. */
function argumentsOf({ arguments: given, parameters }: JsonObject): { readonly arguments?: JsonValue } {
  const meant = given ?? parameters;
  if (meant === undefined) return {};
  const isEmpty = meant === null || (typeof meant === "string" && meant.trim() === "");
  return { arguments: isEmpty ? {} : meant };
}

async function execute(context: CallContext, args: JsonObject): Promise<ToolOutcome> {
  const { parameters: _otherSpelling, ...rest } = args;
  const ignored = warnIgnored(context, "ExecuteWorkspaceTool", rest, KNOWN_KEYS);
  const name = String(args.name);
  if (context.services.isMeta(name)) throw new ToolError("TOOL_NOT_FOUND", `${name} is not a workspace tool. Call it directly.`);
  const result = await context.services.call(name, args.arguments);
  return { kind: "delegated", result: ignored === undefined ? result : withWarning(result, ignored) };
}

/** The warning stands apart from what the tool gave, whose text may be JSON to be parsed; a failure says it with its message. */
function withWarning(result: CallResult, warning: string): CallResult {
  if (result.kind === "error") return { ...result, message: `${result.message}\n${warning}` };
  const { text, blocks = [{ type: "text", text }] } = result;
  return { ...result, text: `${text}\n[${warning}]`, blocks: [...blocks, { type: "text", text: `[${warning}]` }] };
}
