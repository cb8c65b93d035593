import type { CallToolResult } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import { lastGoodNote, type Problem, problemData } from "../core/problem.ts";
import type { CallResult } from "../core/tool.ts";

/** Protocol generation of a connection: `legacy` opened with `initialize` (2025 and older), `modern` is 2026-07-28. */
export type Era = "legacy" | "modern";

/** Where the error object stands if it cannot stand in `structuredContent`. */
export const ERROR_META_KEY = "toolyard/error";

/** Where a result says that the workspace's files are broken, for whoever edits them; the result itself stays as the tool gave it. */
export const WORKSPACE_META_KEY = "toolyard/workspace";

/** How a result must be written for the one who asked. */
export interface ResultTarget {
  readonly era: Era;
  /** True if the tool was listed with an output schema. */
  readonly hasOutput: boolean;
  /** Why the workspace's files cannot be read now, if they cannot. */
  readonly unreadable?: Problem | undefined;
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
export function toMcpResult(result: Extract<CallResult, { kind: "ok" }> | CallFailure, target: ResultTarget): CallToolResult {
  const note = workspaceNote(target.unreadable);
  if (result.kind === "ok") {
    return {
      content: [{ type: "text", text: result.text }],
      ...(result.structured === undefined ? {} : { structuredContent: result.structured }),
      ...(note === undefined ? {} : { _meta: note }),
    };
  }
  const error = errorFacts(result);
  const isHidden = target.era === "legacy" && target.hasOutput;
  const meta = { ...note, ...(isHidden ? { [ERROR_META_KEY]: error } : {}) };
  return {
    content: [{ type: "text", text: result.message }],
    ...(isHidden ? {} : { structuredContent: { error } }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    isError: true,
  };
}

function workspaceNote(unreadable: Problem | undefined): JsonObject | undefined {
  if (unreadable === undefined) return undefined;
  return { [WORKSPACE_META_KEY]: { note: lastGoodNote(unreadable), problem: problemData(unreadable) } };
}

function errorFacts(failure: CallFailure): JsonObject {
  const { code, message } = failure;
  // Code, message and id last: facts of a tool's own must not stand in for them.
  return "callId" in failure ? { ...failure.data, code, message, callId: failure.callId } : { code, message };
}
