import { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { cutText } from "../core/text.ts";
import type { ListedTool } from "../core/tool.ts";
import { findByName } from "../core/tool-name.ts";
import { MAX_SCHEMA_CHARACTERS, schemaPart } from "./schema-part.ts";

/** The list a client has, and that of this moment. Entries that were set aside in the first were never shown to it. */
export interface StaleLists {
  readonly told: readonly ListedTool[];
  readonly now: readonly ListedTool[];
  /** The parameters of a tool as clients get them. */
  readonly published: (tool: ListedTool) => JsonObject;
}

/** The error of a call that was made by an old list, in words that let the model go on: what happened to the tool since, and what it takes now. */
export function explainStaleCall(error: ToolError, name: string, lists: StaleLists): ToolError {
  const shown = lists.told.filter((tool) => tool.status.kind !== "broken");
  const old = findByName(shown, name, (tool) => tool);
  if (old === undefined) return error;
  switch (error.code) {
    case "TOOL_NOT_FOUND":
      // A tool that is there may itself have been asked for one that is not.
      return findByName(lists.now, name, (tool) => tool) === undefined ? removedError(error, old, lists) : error;
    case "INVALID_ARGUMENTS":
      return changedError(error, old, lists);
    default:
      return error;
  }
}

function removedError(error: ToolError, old: ListedTool, { told, now, published }: StaleLists): ToolError {
  const successor = successorOf(old, told, now);
  if (successor === undefined) {
    const text = `${old.name} was removed or renamed since this client listed the tools. ${error.message}`;
    return new ToolError(error.code, text, { cause: error, data: error.data });
  }
  const part = schemaPart(published(successor));
  const text = `${old.name} was renamed since this client listed the tools: it is ${successor.name} now. Its parameters are: ${schemaText(published(successor))}`;
  return new ToolError(error.code, text, {
    cause: error,
    data: { ...error.data, nearest: successor.name, ...(part.kind === "none" ? {} : { parameters: part.schema }) },
  });
}

/** The tool that does what the old one did, under a name that is new. */
function successorOf(old: ListedTool, told: readonly ListedTool[], now: readonly ListedTool[]): ListedTool | undefined {
  const known = new Set(told.map(({ name }) => name));
  const added = now.filter((tool) => tool.role === "tools" && tool.status.kind !== "broken" && !known.has(tool.name));
  const signature = ({ description, parameters }: ListedTool): string => JSON.stringify([description, parameters]);
  const same = added.filter((tool) => signature(tool) === signature(old));
  return same.length === 1 ? same[0] : undefined;
}

function changedError(error: ToolError, old: ListedTool, { now, published }: StaleLists): ToolError {
  const current = findByName(now, old.name, (tool) => tool);
  if (current === undefined || JSON.stringify(current.parameters) === JSON.stringify(old.parameters)) return error;
  const text = `${error.message}\n${current.name} was changed since this client listed the tools. Its parameters are now: ${schemaText(published(current))}`;
  return new ToolError(error.code, text, { cause: error, data: error.data });
}

function schemaText(parameters: JsonObject): string {
  const text = JSON.stringify(parameters);
  if (text.length <= MAX_SCHEMA_CHARACTERS) return text;
  return `${cutText(text, MAX_SCHEMA_CHARACTERS)}… GetWorkspaceTools with the tool's name gives them whole.`;
}
