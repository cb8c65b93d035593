import type { Tool as McpTool } from "@modelcontextprotocol/server";
import { LIMITS } from "../core/limits.ts";
import type { ListedTool } from "../core/tool.ts";
import { type PublishedTool, publishTool } from "../schema/publish-schema.ts";
import { publishedDescription } from "../schema/tool-description.ts";

/** A tool as `tools/list` shows it; `schemas` are its published ones. */
export function toMcpTool(tool: ListedTool, schemas: PublishedTool = publishTool(tool)): McpTool {
  const { name, title, annotations, limits } = tool;
  const { parameters, output } = schemas;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: publishedDescription(tool.description, parameters),
    inputSchema: { ...parameters.published, type: "object" },
    ...(output?.published === undefined ? {} : { outputSchema: output.published }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...resultSizeMeta(limits?.resultCharacters),
  };
}

/** Claude Code takes longer results of tools that announce them here (docs of its MCP settings); others ignore it. */
function resultSizeMeta(characters = 0): Pick<McpTool, "_meta"> {
  return characters > LIMITS.resultCharacters.default ? { _meta: { "anthropic/maxResultSizeChars": characters } } : {};
}
