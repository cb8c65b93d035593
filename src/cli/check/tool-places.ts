import type { Place } from "../../core/problem.ts";
import { findByName } from "../../core/tool-name.ts";
import { withoutSourceLine } from "../../workspace/position.ts";
import { TOOLS_FILE } from "../../workspace/tools-file.ts";
import type { WorkspaceTool } from "../../workspace/workspace-tool.ts";
import type { CheckContext } from "./check-context.ts";

/**
 * Finds where tools stand in tools.json, by their listed names; `prefix` is before each of these. The text of the line is
 * left out: an entry begins with a brace, or is one line with all that is in it.
 */
export function toolPlaces(tools: readonly WorkspaceTool[], prefix: string): CheckContext["placeOf"] {
  return (name): Place => {
    const tool = findByName(tools, name, (one) => ({ name: prefix + one.name, plainName: one.name }));
    return tool === undefined ? { kind: "file", file: TOOLS_FILE } : withoutSourceLine(tool.place);
  };
}
