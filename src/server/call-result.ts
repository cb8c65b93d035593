import type { CallToolResult } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { lastGoodNote, type Problem, problemData } from "../core/problem.ts";
import type { CallResult } from "../core/tool.ts";
import { REFUSED_AT_TOP, REFUSED_AT_TOP_NAME } from "../schema/publish/key-names.ts";
import { contentFor } from "./content-for.ts";

/** Protocol generation of a connection: `legacy` opened with `initialize` (2025 and older), `modern` is 2026-07-28. */
export type Era = "legacy" | "modern";

/** Where the error object stands if it cannot stand in `structuredContent`. */
export const ERROR_META_KEY = "toolyard/error";

/** Where it is said which arguments were read otherwise than written: `[{ path, from, to }]`, types only. */
const REPAIRED_META_KEY = "toolyard/repaired";

/** Where it is said which keys of the structured content have another name than in the text: `[{ from, to }]`. */
const RENAMED_META_KEY = "toolyard/renamed";

/** Where a result says that the workspace's files are broken, for whoever edits them; the result itself stays as the tool gave it. */
export const WORKSPACE_META_KEY = "toolyard/workspace";

/** How a result must be written for the one who asked. */
export interface ResultTarget {
  readonly era: Era;
  /** True if the tool was listed with an output schema. */
  readonly hasOutput: boolean;
  /** Protocol version of the connection, by which blocks are written. Default: the era's last. */
  readonly version?: string | undefined;
  /** Why the workspace's files cannot be read now, if they cannot. */
  readonly unreadable?: Problem | undefined;
}

/** The last version of each generation. */
export const LAST_VERSION = { legacy: "2025-11-25", modern: "2026-07-28" } as const satisfies Record<Era, string>;

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
  const { era, hasOutput, version = LAST_VERSION[era] } = target;
  const notes: Record<string, JsonValue> = { ...workspaceMeta(target.unreadable), ...repairMeta(result) };
  if (result.kind === "ok") {
    const structured = result.structured === undefined ? undefined : clientForm(result.structured);
    if (structured !== undefined && structured.renamed.length > 0) notes[RENAMED_META_KEY] = structured.renamed;
    return {
      content: contentFor(result.blocks ?? [{ type: "text", text: result.text }], version),
      ...(structured === undefined ? {} : { structuredContent: structured.value }),
      ...metaOf(notes),
    };
  }
  const error = errorFacts(result);
  const isApart = era === "legacy" && hasOutput;
  const place = {
    ...(isApart ? {} : { structuredContent: { error } }),
    ...metaOf({ ...(isApart ? { [ERROR_META_KEY]: error } : {}), ...notes }),
  };
  const blocks = "blocks" in result ? (result.blocks ?? []) : [];
  return { content: contentFor([{ type: "text", text: result.message }, ...blocks], version), ...place, isError: true };
}

interface ClientForm {
  readonly value: JsonValue;
  readonly renamed: readonly { readonly [end in "from" | "to"]: string }[];
}

/**
 * A structured value without the one key at its top for which some clients refuse the whole result. Its other name is that of
 * the published schema, so a key that has this name already takes the next one that is free. The text keeps all as they are.
 */
function clientForm(value: JsonValue): ClientForm {
  if (!isJsonObject(value) || !Object.hasOwn(value, REFUSED_AT_TOP)) return { value, renamed: [] };
  const names = new Map([[REFUSED_AT_TOP, REFUSED_AT_TOP_NAME]]);
  if (Object.hasOwn(value, REFUSED_AT_TOP_NAME)) {
    let number = 3;
    while (Object.hasOwn(value, `${REFUSED_AT_TOP}_${number}`)) number++;
    names.set(REFUSED_AT_TOP_NAME, `${REFUSED_AT_TOP}_${number}`);
  }
  return {
    value: Object.fromEntries(Object.entries(value).map(([key, item]) => [names.get(key) ?? key, item])),
    renamed: [...names].map(([from, to]) => ({ from, to })),
  };
}

function metaOf(facts: JsonObject): { readonly _meta?: { [key: string]: unknown } } {
  return Object.keys(facts).length === 0 ? {} : { _meta: { ...facts } };
}

function repairMeta(result: CallResult | CallFailure): JsonObject {
  const repaired = "repaired" in result ? (result.repaired ?? []) : [];
  return repaired.length === 0 ? {} : { [REPAIRED_META_KEY]: repaired.map((one) => ({ ...one })) };
}

function workspaceMeta(unreadable: Problem | undefined): JsonObject {
  return unreadable === undefined ? {} : { [WORKSPACE_META_KEY]: { note: lastGoodNote(unreadable), problem: problemData(unreadable) } };
}

function errorFacts(failure: CallFailure): JsonObject {
  const { code, message } = failure;
  // Code, message and id last: facts of a tool's own must not stand in for them.
  return "callId" in failure ? { ...failure.data, code, message, callId: failure.callId } : { code, message };
}
