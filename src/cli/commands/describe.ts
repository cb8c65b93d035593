import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import { isJsonObject, type JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { ListedTool } from "../../core/tool.ts";
import { findByName } from "../../core/tool-name.ts";
import { visible } from "../../core/visible-text.ts";
import type { Engine } from "../../engine/engine.ts";
import { publishedDescription } from "../../schema/tool-description.ts";
import { type AgentOptions, chooseCaller, withAgent } from "../agent-choice.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import type { Paint } from "../io.ts";
import { refuseLostAgents } from "../lost-agents.ts";
import { problemLines } from "../problem-view.ts";
import { toolListData } from "../tool-data.ts";
import { toolDetailLines } from "../tool-detail.ts";
import { toolTableLines } from "../tool-table.ts";

/** `toolyard describe TOOL`: what a tool takes, gives and may reach, as clients are told. */
export function describeCommand(context: CliContext): Command {
  const command = newCommand("describe", {
    summary: "one tool: what it does, takes, gives and may reach",
    example: "toolyard describe weather",
    json: "write what GetWorkspaceTools answers for the tool, and its published form, as JSON",
  }).argument("<tool>");
  return withAction(withAgent(withWorkspace(command)), context, (name: string, options: WorkspaceOptions & AgentOptions) =>
    describe(context, name, options),
  );
}

async function describe(context: CliContext, name: string, options: WorkspaceOptions & AgentOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  const { engine, workspace } = runtime;
  refuseLostAgents(workspace.current(), runtime.trust().hadAgents());
  const caller = chooseCaller(runtime, options, "cli");
  const data = await toolListData(engine, caller, name);
  const { output } = context;
  const tool = findByName(engine.list(caller), name, (entry) => entry);
  if (options.json === true) {
    output.json(tool === undefined ? data : withPublishedForm(data, tool, engine));
    return 0;
  }
  if (tool === undefined) throw new ToolError("TOOL_NOT_FOUND", `There is no tool "${name}" here any more.`);
  const flag = workspaceFlag(context, options);
  const lines =
    tool.status.kind === "broken"
      ? setAsideLines(tool, engine.problems(caller), output.paint)
      : [...toolTableLines([tool], output.paint, flag), "", ...toolDetailLines(tool, engine.published(tool), flag)];
  for (const line of lines) output.line(line);
  return 0;
}

/** The schemas of `tools.json` stand beside those that clients get, each under a name that says which. */
function withPublishedForm(data: JsonValue, tool: ListedTool, engine: Engine): JsonValue {
  if (tool.status.kind === "broken" || !isJsonObject(data) || !Array.isArray(data.tools)) return data;
  const { parameters, output } = engine.published(tool);
  const published = {
    description: publishedDescription(tool.description, parameters),
    parameters: parameters.published,
    ...(output?.published === undefined ? {} : { output: output.published }),
  };
  return { ...data, tools: data.tools.map((entry: JsonValue) => (isJsonObject(entry) ? { ...entry, published } : entry)) };
}

/** A tool that is set aside has nothing but its name and what is wrong: of its schema and its limits nothing is in force. */
function setAsideLines(tool: ListedTool, problems: readonly Problem[], paint: Paint): string[] {
  const own = problems.filter((problem) => problem.tool === (tool.plainName ?? tool.name));
  const told = own.length > 0 || tool.status.kind !== "broken" ? own : [tool.status.problem];
  const [row = ""] = toolTableLines([tool], paint);
  return [
    row,
    "",
    ...(tool.description === "" ? [] : [...visible(tool.description).split("\n"), ""]),
    ...problemLines(told, paint),
    "",
    "It is back once that is mended; no restart is needed.",
  ];
}
