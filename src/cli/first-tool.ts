import path from "node:path";
import { shellWord } from "../core/shell-word.ts";
import { visible } from "../core/visible-text.ts";
import { TOOLS_FILE } from "../workspace/tools-file.ts";
import type { CliRuntime } from "./cli-runtime.ts";
import type { CliContext, WorkspaceOptions } from "./command.ts";
import { workspaceFlag } from "./command-wording.ts";

/** What to do next in a workspace without a tool. Nothing where its files are broken: the findings say what to do then. */
export function firstToolLines(context: CliContext, options: WorkspaceOptions, { root, workspace }: CliRuntime): string[] {
  const { problems, state } = workspace.current();
  if (problems.some(({ code, place }) => code === "FILE_MISSING" && place.kind === "file" && place.file === TOOLS_FILE)) {
    const below = path.relative(context.cwd, root);
    return [`No tools yet. Two to begin with: toolyard init${below === "" ? "" : ` ${shellWord(options.workspace ?? root)}`}`];
  }
  if (state !== "ok") return ["No tools can be read."];
  return [
    `No tools yet. A first one is an entry in the "tools" of ${visible(path.join(root, TOOLS_FILE))}`,
    '  { "name": "hello", "description": "Says hello", "script": "scripts/hello.js" }',
    "and its script, scripts/hello.js beside that file",
    '  function main() { return "Hello."; }',
    `Then: toolyard run${workspaceFlag(context, options)} hello`,
    "Two working tools to look at: toolyard init DIR",
  ];
}
