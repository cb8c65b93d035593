import type { Command } from "commander";
import { ToolError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ListedTool } from "../../core/tool.ts";
import { findByName } from "../../core/tool-name.ts";
import { visible } from "../../core/visible-text.ts";
import { type AgentOptions, chooseCaller, withAgent } from "../agent-choice.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { workspaceFlag } from "../command-wording.ts";
import { refuseLostAgents } from "../lost-agents.ts";
import { oneLine } from "../terminal-text.ts";
import { toolListData } from "../tool-data.ts";
import { toolTableLines } from "../tool-table.ts";

/** `toolyard describe TOOL`: what a tool takes, gives and may reach. */
export function describeCommand(context: CliContext): Command {
  const command = newCommand("describe", {
    summary: "one tool: what it does, takes, gives and may reach",
    example: "toolyard describe weather",
    json: "write what GetWorkspaceTools answers for the tool, as JSON",
  }).argument("<tool>");
  return withAction(withAgent(withWorkspace(command)), context, (name: string, options: WorkspaceOptions & AgentOptions) =>
    describe(context, name, options),
  );
}

async function describe(context: CliContext, name: string, options: WorkspaceOptions & AgentOptions): Promise<ExitCode> {
  await using runtime = await openCliRuntime(context, options);
  refuseLostAgents(runtime.workspace.current(), runtime.trust().hadAgents());
  const caller = chooseCaller(runtime, options, "cli");
  const data = await toolListData(runtime.engine, caller, name);
  const { output } = context;
  if (options.json === true) {
    output.json(data);
    return 0;
  }
  const tool = findByName(runtime.engine.list(caller), name, (entry) => entry);
  if (tool === undefined) throw new ToolError("TOOL_NOT_FOUND", `There is no tool "${name}" here any more.`);
  const flag = workspaceFlag(context, options);
  for (const line of [...toolTableLines([tool], output.paint, flag), "", ...detailLines(tool, flag)]) output.line(line);
  return 0;
}

function detailLines(tool: ListedTool, flag: string): string[] {
  const examplePairs = requiredNames(tool.parameters).map((name) => ` ${visible(name)}=…`);
  return [
    visible(tool.description),
    "",
    ...parameterLines(tool.parameters),
    ...(tool.output === undefined ? [] : ["", "Gives:", ...indented(tool.output)]),
    "",
    `Time limit: ${tool.timeoutMs / 1000} s`,
    ...(tool.hosts === undefined || tool.hosts.length === 0 ? [] : [`May reach: ${tool.hosts.map(visible).join(", ")}`]),
    `Try it: toolyard run${flag} ${visible(tool.name)}${examplePairs.join("")}`,
  ];
}

function parameterLines(parameters: JsonObject): string[] {
  const properties = isJsonObject(parameters.properties) ? Object.entries(parameters.properties) : [];
  if (properties.length === 0) return ["Takes: nothing in particular"];
  const required = requiredNames(parameters);
  const rows = properties.map(([name, schema]) => [visible(name), required.includes(name) ? "required" : "", schemaText(schema)] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return ["Takes:", ...rows.map(([name, need, text]) => `  ${name.padEnd(width)}  ${need.padEnd("required".length)}  ${text}`.trimEnd())];
}

function schemaText(schema: JsonValue): string {
  if (!isJsonObject(schema)) return "";
  const { type, enum: members, default: standard, description } = schema;
  const types = Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "";
  const choice = Array.isArray(members) ? members.map((member) => JSON.stringify(member)).join(", ") : types;
  const rest = [standard === undefined ? "" : `default ${JSON.stringify(standard)}`, typeof description === "string" ? description : ""];
  return oneLine([choice, ...rest].filter((part) => part !== "").join("; "), 160);
}

function requiredNames({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

function indented(schema: JsonObject): string[] {
  return JSON.stringify(schema, null, 2)
    .split("\n")
    .map((line) => `  ${visible(line)}`);
}
