/** `completion/complete`: values of prompt arguments, names of tools, ids of kept results. */
import { type CompleteRequestParams, type CompleteResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Caller } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";
import { RESULT_TEMPLATE, TOOL_TEMPLATE } from "./resources.ts";

/** Most values of one answer (MCP, completion). */
const MAX_VALUES = 100;

/** The values that begin with what was typed, then those that contain it. Throws `ProtocolError` invalid params for an unknown prompt. */
export async function complete(engine: Engine, caller: Caller, { ref, argument }: CompleteRequestParams): Promise<CompleteResult> {
  const candidates =
    ref.type === "ref/prompt"
      ? promptValues(engine, caller, ref.name, argument.name)
      : await templateValues(engine, caller, ref.uri, argument.name);
  const typed = argument.value.toLowerCase();
  const starts = candidates.filter((value) => value.toLowerCase().startsWith(typed));
  const contains = candidates.filter((value) => !starts.includes(value) && value.toLowerCase().includes(typed));
  const found = [...starts, ...contains];
  return { completion: { values: found.slice(0, MAX_VALUES), total: found.length, hasMore: found.length > MAX_VALUES } };
}

function promptValues(engine: Engine, caller: Caller, prompt: string, argument: string): readonly string[] {
  const found = engine
    .offers(caller)
    .prompts()
    .find(({ name }) => name === prompt);
  if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${prompt}" here.`);
  return found.arguments.find(({ name }) => name === argument)?.values ?? [];
}

async function templateValues(engine: Engine, caller: Caller, uri: string, argument: string): Promise<readonly string[]> {
  if (uri === TOOL_TEMPLATE && argument === "name") {
    return engine
      .look(caller)
      .filter((tool) => tool.status.kind !== "broken")
      .map(({ name }) => name);
  }
  if (uri === RESULT_TEMPLATE && argument === "id") return (await engine.listResults(caller)).map(({ id }) => id);
  return [];
}
