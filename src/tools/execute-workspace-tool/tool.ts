import { ToolError } from "../../core/errors.ts";
import { warnIgnored } from "../../core/ignored-arguments.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { CallContext, Tool, ToolOutcome } from "../../core/tool.ts";

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

/** Some models write `parameters`, some send the object as JSON text; both mean the same. */
function argumentsOf({ arguments: given, parameters }: JsonObject): { readonly arguments?: JsonValue } {
  const meant = given ?? parameters;
  if (meant === undefined) return {};
  if (meant === null) return { arguments: {} };
  return { arguments: typeof meant === "string" ? parsedObject(meant) : meant };
}

function parsedObject(text: string): JsonValue {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isJsonObject(value) ? value : text;
  } catch {
    return text; // Not JSON: left as it is, and refused as text by the schema.
  }
}

async function execute(context: CallContext, args: JsonObject): Promise<ToolOutcome> {
  const { parameters: _otherSpelling, ...rest } = args;
  warnIgnored(context, "ExecuteWorkspaceTool", rest, KNOWN_KEYS);
  const name = String(args.name);
  if (context.services.isMeta(name)) throw new ToolError("TOOL_NOT_FOUND", `${name} is not a workspace tool. Call it directly.`);
  return { kind: "delegated", result: await context.services.call(name, args.arguments) };
}
