import type { Command } from "commander";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { type Problem, problemData } from "../../core/problem.ts";
import { type AgentOptions, chooseCaller, withAgent } from "../agent-choice.ts";
import { type CliRuntime, openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { firstToolLines } from "../first-tool.ts";
import { lostAgentsProblems } from "../lost-agents.ts";
import { hasNoOffers, offerCounts, offerData, offerLines, type ShownOffers, shownOffers } from "../offer-table.ts";
import { problemLines } from "../problem-view.ts";
import { toolListData } from "../tool-data.ts";
import { toolTableLines, toolTableTitle } from "../tool-table.ts";
import { workspaceLabel } from "../workspace-choice.ts";

/** `toolyard list`: the tools, prompts and resources, and whether they work. */
export function listCommand(context: CliContext): Command {
  const command = newCommand("list", {
    summary: "the tools of the workspace, its prompts and resources, and whether they work",
    example: "toolyard list -w my-tools",
    json: "write what GetWorkspaceTools answers, with prompts and resources, as JSON",
  });
  return withAction(withAgent(withWorkspace(command)), context, (options: WorkspaceOptions & AgentOptions) => list(context, options));
}

async function list(context: CliContext, options: WorkspaceOptions & AgentOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  const caller = chooseCaller(runtime, options, "cli");
  const { output, version } = context;
  const flag = workspaceFlag(context, options);
  await runtime.engine.refresh({ kind: "list" });
  const lost = lostAgents(runtime, flag);
  const isDenied = runtime.engine.denial(caller) !== undefined;
  const offers = shownOffers(runtime.engine.offers(caller), runtime.workspace.current().offers, isDenied);
  if (options.json === true) {
    const data = isDenied ? deniedData(runtime, lost) : await toolListData(runtime.engine, caller);
    output.json(isJsonObject(data) ? { ...data, ...offerData(offers) } : data);
    return exitCode(runtime, lost);
  }
  const tools = runtime.engine.list(caller);
  output.line(toolTableTitle({ version, workspace: workspaceLabel(context, runtime.root), tools, offers: offerCounts(offers) }));
  output.line();
  const hasNoTools = tools.every((tool) => tool.role !== "tools");
  for (const line of toolTableLines(tools, output.paint, flag)) output.line(line);
  // The title has ended with an empty line already.
  for (const line of offerLines(offers, output.paint).slice(hasNoTools ? 1 : 0)) output.line(line);
  const ofFiles = ofFilesOnly(runtime.workspace.current().problems, offers);
  if (ofFiles.length > 0 && !hasNoOffers(offers)) output.line();
  for (const line of problemLines([...lost, ...ofFiles], output.paint)) output.line(line);
  if (lost.length === 0 && hasNoTools && hasNoOffers(offers))
    for (const line of firstToolLines(context, options, runtime)) output.line(line);
  return exitCode(runtime, lost);
}

/** Errors that stand beside no tool, prompt or resource of the list. */
function ofFilesOnly(problems: readonly Problem[], { brokenPrompts, brokenResources }: ShownOffers): readonly Problem[] {
  const told = new Set([...brokenPrompts, ...brokenResources].map(({ problem }) => problem.offer));
  return problems.filter(
    ({ severity, tool, offer }) => severity === "error" && tool === undefined && (offer === undefined || !told.has(offer)),
  );
}

/** Whoever may not use the workspace gets no list; here a person looks at it, who must not take it for an empty folder. */
function deniedData({ engine }: CliRuntime, lost: readonly Problem[]): JsonObject {
  const problems = lost.length > 0 ? lost : engine.problems();
  return { generation: engine.generation(), tools: [], problems: problems.map(problemData) };
}

function lostAgents({ workspace, trust }: CliRuntime, flag: string): readonly Problem[] {
  return lostAgentsProblems(workspace.current(), trust().hadAgents(), flag);
}

/** A file that cannot be read at all, or agents that are lost, leave nothing to list, which must not look like an empty workspace. */
function exitCode({ workspace }: CliRuntime, lost: readonly Problem[]): ExitCode {
  return workspace.current().state === "ok" && lost.length === 0 ? 0 : 1;
}
