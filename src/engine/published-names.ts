import type { Problem } from "../core/problem.ts";
import { isReservedName } from "../workspace/entry-checks.ts";
import type { WorkspaceTool } from "../workspace/workspace-tool.ts";

/** The name that clients get, or why the tool cannot have one. */
export type PublishedName = { readonly kind: "name"; readonly name: string } | { readonly kind: "refused"; readonly problem: Problem };

/** Longest name (MCP 2025-11-25, tool names). */
const MAX_NAME_CHARACTERS = 128;

/**
 * The names of a workspace's tools with its prefix. Since calls reach a tool by both its names, no two tools may share
 * one: a tool that is named as another one is published is refused, and so is a name of the server's own.
 */
export function publishNames(tools: readonly WorkspaceTool[], prefix: string): ReadonlyMap<WorkspaceTool, PublishedName> {
  const published = new Map(tools.map((tool) => [`${prefix}${tool.name}`.toLowerCase(), tool]));
  return new Map(
    tools.map((tool): readonly [WorkspaceTool, PublishedName] => {
      const name = `${prefix}${tool.name}`;
      if (prefix === "") return [tool, { kind: "name", name }];
      const refuse = (code: Problem["code"], message: string): readonly [WorkspaceTool, PublishedName] => [
        tool,
        { kind: "refused", problem: { code, severity: "error", place: tool.place, tool: tool.name, message } },
      ];
      const other = published.get(tool.name.toLowerCase());
      if (other !== undefined && other !== tool) {
        return refuse(
          "DUPLICATE_NAME",
          `With the prefix "${prefix}", "${other.name}" is published as "${tool.name}" too. Rename one of them, or change "prefix".`,
        );
      }
      if (isReservedName(name))
        return refuse(
          "RESERVED_NAME",
          `With the prefix "${prefix}" it is "${name}", a name the server itself uses. Change one of the two.`,
        );
      if (name.length > MAX_NAME_CHARACTERS) {
        return refuse(
          "INVALID_VALUE",
          `With the prefix "${prefix}" its name has ${name.length} characters; at most ${MAX_NAME_CHARACTERS}. Shorten one of the two.`,
        );
      }
      return [tool, { kind: "name", name }];
    }),
  );
}
