import type { CallToolResult } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { CallResult } from "../core/tool.ts";

/** Protocol generation of a connection: `legacy` opened with `initialize` (2025 and older), `modern` is 2026-07-28. */
export type Era = "legacy" | "modern";

/** Where the error object stands if it cannot stand in `structuredContent`. */
export const ERROR_META_KEY = "toolyard/error";

/** How a result must be written for the one who asked. */
export interface ResultTarget {
  readonly era: Era;
  /** True if the tool was listed with an output schema. */
  readonly hasOutput: boolean;
}

/** A failed call before it has an id, such as a name that is not shown. */
export type CallFailure =
  | Extract<CallResult, { kind: "error" }>
  | { readonly kind: "error"; readonly code: string; readonly message: string };

/**
 * The MCP form of a finished call. A failure is a result with `isError`, never a protocol error, because only results
 * reach the model. Its facts are `structuredContent.error`; toward older clients of a tool with an output schema they
 * are in `_meta` instead, since the 1.x SDK checks the structured content of failures against that schema too, and the
 * model would read the checker's complaint in place of the message.
 */
export function toMcpResult(result: Extract<CallResult, { kind: "ok" }> | CallFailure, { era, hasOutput }: ResultTarget): CallToolResult {
  if (result.kind === "ok") {
    return {
      content: [{ type: "text", text: result.text }],
      ...(result.structured === undefined ? {} : { structuredContent: result.structured }),
    };
  }
  const error = errorFacts(result);
  const place = era === "legacy" && hasOutput ? { _meta: { [ERROR_META_KEY]: error } } : { structuredContent: { error } };
  return { content: [{ type: "text", text: result.message }], ...place, isError: true };
}

function errorFacts(failure: CallFailure): JsonObject {
  const { code, message } = failure;
  // Code, message and id last: facts of a tool's own must not stand in for them.
  return "callId" in failure ? { ...failure.data, code, message, callId: failure.callId } : { code, message };
}
