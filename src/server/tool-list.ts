import type { Tool as McpTool } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { ListedTool } from "../core/tool.ts";
import { publishSchema } from "../schema/publish-schema.ts";

/** A tool as `tools/list` shows it. */
export function toMcpTool({ name, title, description, parameters, output, annotations }: ListedTool): McpTool {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: { ...publishSchema(parameters), type: "object" },
    ...(output === undefined ? {} : { outputSchema: publishedOutput(output) }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  };
}

/**
 * The schema of results as clients get it. Any root is allowed, since 2026-07-28 takes it as it is and the SDK wraps it
 * for older clients; only what some clients fetch or refuse is left out.
 */
export function publishedOutput(output: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _identifier, ...rest } = output;
  return rest;
}
