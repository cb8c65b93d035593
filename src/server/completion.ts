/** `completion/complete`: values of prompt arguments, names of tools, values of their arguments, ids of kept results. */
import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { Caller, ListedTool } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";
import { refuseDenied } from "./denied.ts";
import { noPromptError } from "./prompts.ts";
import { findToolByUri, RESULT_TEMPLATE, TOOL_TEMPLATE } from "./resources.ts";
import { setAsideError } from "./set-aside.ts";

/** Most values of one answer (MCP, completion). */
const MAX_VALUES = 100;

/**
 * The values that begin with what was typed, then those that contain it. MCP completes prompts and resources only, so the
 * arguments of a tool are those of its definition as a resource: `toolyard://tools/NAME`, with the argument's name. Throws
 * `ProtocolError` invalid params for an unknown prompt, internal error for one that is set aside; what else is not known has no values.
 */
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
  refuseDenied(engine, caller);
  const offers = engine.offers(caller);
  const found = offers.prompts().find(({ name }) => name === prompt);
  if (found === undefined) {
    const outcome = offers.prompt(prompt, {});
    if (outcome.kind === "broken") throw setAsideError(`The prompt "${prompt}"`, outcome.problem);
    throw noPromptError(offers, prompt);
  }
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
  return argumentValues(engine, findToolByUri(engine, caller, uri), argument);
}

function argumentValues(engine: Engine, tool: ListedTool | undefined, argument: string): readonly string[] {
  const properties = tool === undefined ? undefined : engine.published(tool).parameters.published.properties;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, argument)) return [];
  const values = valuesOf(properties[argument]).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return [...new Set(values)];
}

/** What a schema allows where it allows only some values; of a list, what may stand in it. */
function valuesOf(schema: JsonValue | undefined): readonly JsonValue[] {
  if (!isJsonObject(schema)) return [];
  const { enum: allowed, const: only, type, items, anyOf, oneOf } = schema;
  if (Array.isArray(allowed)) return allowed;
  if (only !== undefined) return [only];
  if (type === "boolean") return [true, false];
  const inner: readonly JsonValue[] = [...(Array.isArray(anyOf) ? anyOf : []), ...(Array.isArray(oneOf) ? oneOf : [])];
  return inner.length > 0 ? inner.flatMap(valuesOf) : valuesOf(items);
}
