import type { Tool as McpTool } from "@modelcontextprotocol/server";
import { LIMITS } from "../core/limits.ts";
import { cutText } from "../core/text.ts";
import type { ListedTool } from "../core/tool.ts";
import { type PublishedSchema, type PublishedTool, publishTool } from "../schema/publish-schema.ts";

/** A tool as `tools/list` shows it; `schemas` are its published ones. */
export function toMcpTool(tool: ListedTool, schemas: PublishedTool = publishTool(tool)): McpTool {
  const { name, title, annotations, limits } = tool;
  const { parameters, output } = schemas;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: withRules(tool.description, parameters),
    inputSchema: { ...parameters.published, type: "object" },
    ...(output?.published === undefined ? {} : { outputSchema: output.published }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...resultSizeMeta(limits?.resultCharacters),
  };
}

/** Most characters of rules that a description gets; the schema's own description has them whole. */
const RULE_CHARACTERS = 300;

/** Some models are shown the descriptions of parameters but not that of the whole schema, so its rules stand here too. */
function withRules(description: string, { notes }: PublishedSchema): string {
  const rules = notes.flatMap((note) => (note.kind === "flattened" && note.pointer === "" ? [note.rule] : [])).join(" ");
  return rules === "" ? description : `${description}\n${cutText(rules, RULE_CHARACTERS)}`;
}

/** Claude Code takes longer results of tools that announce them here (docs of its MCP settings); others ignore it. */
function resultSizeMeta(characters = 0): Pick<McpTool, "_meta"> {
  return characters > LIMITS.resultCharacters.default ? { _meta: { "anthropic/maxResultSizeChars": characters } } : {};
}
