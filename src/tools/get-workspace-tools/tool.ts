import { ToolError } from "../../core/errors.ts";
import { warnIgnored } from "../../core/ignored-arguments.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { lastGoodNote, problemData } from "../../core/problem.ts";
import { nearestName, shownName } from "../../core/text.ts";
import type { CallContext, Caller, ListedTool, Tool, ToolOutcome } from "../../core/tool.ts";
import { findByName } from "../../core/tool-name.ts";

/** The list of the workspace's tools with full schemas, for clients that keep an old list and models that see only this. */
export const getWorkspaceTools: Tool = {
  definition: {
    name: "GetWorkspaceTools",
    description:
      "Lists the tools of this workspace as of now: name, description, parameters, status, and what is wrong with those that are set aside. " +
      "Give a name to get one tool with its full schema.",
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "Only the tool of this name." } },
    },
    annotations: { title: "List workspace tools", readOnlyHint: true, openWorldHint: false },
    timeoutMs: LIMITS.callTimeoutMs.default,
  },
  status: () => ({ kind: "ready" }),
  call: async (context, args) => ({ kind: "value", value: listValue(context, args) }) satisfies ToolOutcome,
};

function listValue(context: CallContext, args: JsonObject): JsonObject {
  const { services, caller } = context;
  const { name } = args;
  const ignored = warnIgnored(context, "GetWorkspaceTools", args, ["name"]);
  const unreadable = services.unreadable();
  const notes = [...(unreadable === undefined ? [] : [lastGoodNote(unreadable)]), ...(ignored === undefined ? [] : [ignored])];
  const tools = services.list().filter((tool) => tool.role === "tools");
  const problems = services.problems().map(problemData);
  const generation = services.generation();
  if (typeof name === "string") {
    const tool = findByName(tools, name, (entry) => entry);
    if (tool === undefined) throw notFound(name, tools, caller);
    return {
      generation,
      ...noteData(notes),
      tools: [toolData(tool)],
      problems: problems.filter((problem) => problem.tool === undefined || problem.tool === (tool.plainName ?? tool.name)),
    };
  }
  const full = { generation, ...noteData(notes), tools: tools.map(toolData), problems };
  if (JSON.stringify(full).length <= LIMITS.resultCharacters.default) return full;
  notes.push("The full list is over the limit of a result. Schemas are left out here; give a name to get one tool whole.");
  return { generation, ...noteData(notes), tools: tools.map(shortToolData), problems };
}

function noteData(notes: readonly string[]): { readonly note?: string } {
  return notes.length === 0 ? {} : { note: notes.join(" ") };
}

function notFound(name: string, tools: readonly ListedTool[], { origin }: Caller): ToolError {
  const near = nearestName(
    name,
    tools.map((tool) => tool.name),
  );
  const lister = origin === "cli" ? "toolyard list" : "GetWorkspaceTools without a name";
  return new ToolError(
    "TOOL_NOT_FOUND",
    `There is no tool "${shownName(name)}" here. ${near === undefined ? `${lister} lists what there is.` : `Did you mean "${near}"?`}`,
  );
}

function toolData(tool: ListedTool): JsonObject {
  const { parameters, output } = tool;
  return { ...shortToolData(tool), parameters, ...(output === undefined ? {} : { output }) };
}

function shortToolData({ name, title, description, timeoutMs, status }: ListedTool): JsonObject {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    // A broken entry has no limit in force: its script, which may set one, was not read.
    ...(status.kind === "broken" ? {} : { timeout: timeoutMs / 1000 }),
    status: status.kind,
    ...statusProblem(status),
  };
}

function statusProblem(status: ListedTool["status"]): { readonly problem?: JsonValue } {
  switch (status.kind) {
    case "ready":
      return {};
    case "needs-secret":
      return {
        problem: {
          code: "SECRET_MISSING",
          message: `Not stored: ${status.missing.join(", ")}. A person stores it with toolyard secrets set.`,
        },
      };
    case "limited":
      return { problem: { code: "NOT_TRUSTED", message: status.reason } };
    case "broken":
      return { problem: problemData(status.problem) };
  }
}
