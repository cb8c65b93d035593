import { ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { cutText, wellFormed } from "../core/text.ts";
import type { CallResult, ToolDefinition } from "../core/tool.ts";

/** Limits of a result, both in UTF-16 units of the text that goes to the client. */
export interface ResultBudget {
  readonly maxCharacters: number;
}

/**
 * Turns a tool's value into text and structured content.
 * Text is the value itself for a string, else its JSON. An object, or any value of a tool with an `output` schema, is
 * structured content too. Over the budget the text is cut at a code point with a line saying how much is missing, and
 * structured content is left out; a tool with an `output` schema must give it, so there it is `ToolError` RESULT_TOO_LARGE.
 */
export function shapeResult(callId: string, tool: ToolDefinition, value: JsonValue, { maxCharacters }: ResultBudget): CallResult {
  const text = wellFormed(typeof value === "string" ? value : JSON.stringify(value));
  if (text.length <= maxCharacters) {
    const isStructured = tool.output !== undefined || isJsonObject(value);
    return { kind: "ok", callId, text, value, ...(isStructured ? { structured: value } : {}) };
  }
  if (tool.output !== undefined) {
    throw new ToolError(
      "RESULT_TOO_LARGE",
      `${tool.name} returned ${text.length} characters; the limit is ${maxCharacters} ("resultCharacters"). Ask for less, or let the script return less.`,
      { data: { characters: text.length, limit: maxCharacters } },
    );
  }
  const kept = cutText(text, maxCharacters);
  const leftOut = text.length - kept.length;
  const notice = `\n[${leftOut} of ${text.length} characters left out: the result is over the limit of ${maxCharacters} ("resultCharacters"). Ask for less.]`;
  return { kind: "ok", callId, text: kept + notice, value: kept + notice, leftOut };
}
