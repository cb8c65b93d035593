import type { Command } from "commander";
import { type AgentOptions, chooseCaller, withAgent } from "../agent-choice.ts";
import { type CliRuntime, openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { firstToolLines } from "../first-tool.ts";
import { problemLines } from "../problem-view.ts";
import { toolListData } from "../tool-data.ts";
import { toolTableLines, toolTableTitle } from "../tool-table.ts";
import { workspaceLabel } from "../workspace-choice.ts";

/** `toolyard list`: the tools and whether they work. */
export function listCommand(context: CliContext): Command {
  const command = newCommand("list", {
    summary: "the tools of the workspace and whether they work",
    example: "toolyard list -w my-tools",
    json: "write what GetWorkspaceTools answers, as JSON",
  });
  return withAction(withAgent(withWorkspace(command)), context, (options: WorkspaceOptions & AgentOptions) => list(context, options));
}

async function list(context: CliContext, options: WorkspaceOptions & AgentOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  const caller = chooseCaller(runtime, options, "cli");
  const { output, version } = context;
  if (options.json === true) {
    output.json(await toolListData(runtime.engine, caller));
    return exitCode(runtime);
  }
  await runtime.engine.refresh({ kind: "list" });
  const tools = runtime.engine.list(caller);
  output.line(toolTableTitle({ version, workspace: workspaceLabel(context, runtime.root), tools }));
  output.line();
  for (const line of toolTableLines(tools, output.paint, workspaceFlag(context, options))) output.line(line);
  const { problems } = runtime.workspace.current();
  const ofFiles = problems.filter((problem) => problem.severity === "error" && problem.tool === undefined);
  for (const line of problemLines(ofFiles, output.paint)) output.line(line);
  if (tools.every((tool) => tool.role !== "tools")) for (const line of firstToolLines(context, options, runtime)) output.line(line);
  return exitCode(runtime);
}

/** A file that cannot be read at all leaves nothing to list, which must not look like an empty workspace. */
function exitCode({ workspace }: CliRuntime): ExitCode {
  return workspace.current().state === "ok" ? 0 : 1;
}
