import type { Command } from "commander";
import { isJsonObject } from "../../core/json.ts";
import { type Problem, problemData } from "../../core/problem.ts";
import { type AgentOptions, chooseCaller, withAgent } from "../agent-choice.ts";
import { type CliRuntime, openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { firstToolLines } from "../first-tool.ts";
import { lostAgentsProblems } from "../lost-agents.ts";
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
  const flag = workspaceFlag(context, options);
  if (options.json === true) {
    const data = await toolListData(runtime.engine, caller);
    // Whoever may not use the workspace gets an empty list; here a person looks at it, who must not take it for an empty folder.
    const lost = lostAgents(runtime, flag);
    output.json(lost.length > 0 && isJsonObject(data) ? { ...data, problems: lost.map(problemData) } : data);
    return exitCode(runtime, lost);
  }
  await runtime.engine.refresh({ kind: "list" });
  const tools = runtime.engine.list(caller);
  output.line(toolTableTitle({ version, workspace: workspaceLabel(context, runtime.root), tools }));
  output.line();
  for (const line of toolTableLines(tools, output.paint, flag)) output.line(line);
  const lost = lostAgents(runtime, flag);
  const { problems } = runtime.workspace.current();
  const ofFiles = problems.filter((problem) => problem.severity === "error" && problem.tool === undefined);
  for (const line of problemLines([...lost, ...ofFiles], output.paint)) output.line(line);
  if (lost.length === 0 && tools.every((tool) => tool.role !== "tools"))
    for (const line of firstToolLines(context, options, runtime)) output.line(line);
  return exitCode(runtime, lost);
}

function lostAgents({ workspace, trust }: CliRuntime, flag: string): readonly Problem[] {
  return lostAgentsProblems(workspace.current(), trust().hadAgents(), flag);
}

/** A file that cannot be read at all, or agents that are lost, leave nothing to list, which must not look like an empty workspace. */
function exitCode({ workspace }: CliRuntime, lost: readonly Problem[]): ExitCode {
  return workspace.current().state === "ok" && lost.length === 0 ? 0 : 1;
}
