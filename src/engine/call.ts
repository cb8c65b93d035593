import { messageOf, ToolError, toCallerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { shownName, wellFormed } from "../core/text.ts";
import type { ArgumentRepair, CallContext, Caller, CallFigures, CallResult, CallServices } from "../core/tool.ts";
import { readCallArguments } from "./call-arguments.ts";
import type { Catalog } from "./catalog.ts";
import type { ClientLists } from "./client-lists.ts";
import type { CallRequest } from "./engine.ts";
import { audienceOf, type FinishParts, finishCall, readPage } from "./finish.ts";
import { figureFields, type RecordSink } from "./record.ts";
import type { Reload } from "./reload.ts";
import { explainStaleCall } from "./stale-call.ts";

/** What the line of a call needs. */
export interface CallLine extends FinishParts {
  readonly catalog: Catalog;
  readonly lists: ClientLists;
  readonly reload: Reload;
  readonly record: RecordSink;
}

/** The whole line of one call, top to bottom: find, decide, check, resolve and run (in the tool), shape, record. Never rejects. */
export async function callTool(line: CallLine, caller: Caller, request: CallRequest): Promise<CallResult> {
  const callId = newId();
  const startedAtMs = Date.now();
  const startedAt = performance.now();
  let figures: CallFigures | undefined;
  let reason: string | undefined;
  let generation = 0;
  let name = wellFormed(shownName(request.name));
  let repaired: readonly ArgumentRepair[] = [];
  let result: CallResult;
  try {
    await line.catalog.refresh({ kind: "tool", name: request.name });
    generation = line.catalog.generation();
    const tool = line.catalog.find(request.name, caller);
    // Whoever called by another of its names, one tool has one name in logs and records.
    name = tool.definition.name;
    const read = readCallArguments(line.validators, tool, request.args, caller);
    repaired = read.repaired;
    if (repaired.length > 0) line.log.info("tool.arguments.repaired", { callId, tool: name, repaired });
    if (read.kind === "refused") throw read.error;
    const outcome = await tool.call(callContext(line, caller, request, { callId, startedAtMs }), read.args);
    if (outcome.kind === "delegated") return withRepairs(outcome.result, [...repaired, ...(outcome.result.repaired ?? [])]);
    figures = outcome.figures;
    result = await finishCall(line, { callId, tool, caller, hint: request.readHint ?? "tool" }, outcome);
  } catch (thrown) {
    const error = explained(line, caller, request.name, thrown);
    if (!(error instanceof ToolError) || error.audience === "operator") reason = messageOf(error);
    result = { kind: "error", callId, ...toCallerError(error, callId, audienceOf(caller)) };
  }
  line.record({
    callId,
    tool: name,
    agent: caller.agent,
    origin: caller.origin,
    generation,
    outcome: result.kind === "ok" ? "ok" : result.code,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    ...figureFields(figures),
    resultCharacters: result.kind === "ok" ? result.text.length : result.message.length,
    ...(reason === undefined ? {} : { reason }),
  });
  return withRepairs(result, repaired);
}

/** A call by an old list of its client says so. */
function explained({ catalog, lists, validators }: CallLine, caller: Caller, name: string, thrown: unknown): unknown {
  const told = thrown instanceof ToolError ? lists.of(caller)?.tools : undefined;
  if (!(thrown instanceof ToolError) || told === undefined) return thrown;
  return explainStaleCall(thrown, name, {
    told,
    now: catalog.list(caller),
    published: (tool) => validators.published(tool).parameters.published,
  });
}

function withRepairs(result: CallResult, repaired: readonly ArgumentRepair[]): CallResult {
  return repaired.length === 0 ? result : { ...result, repaired };
}

function callContext(line: CallLine, caller: Caller, request: CallRequest, call: { callId: string; startedAtMs: number }): CallContext {
  return {
    callId: call.callId,
    caller,
    startedAtMs: call.startedAtMs,
    signal: request.signal,
    log: (entry) => {
      line.log[entry.level]("script.log", { callId: call.callId, tool: shownName(request.name), text: entry.text });
      request.onLog?.(entry);
    },
    progress: (progress) => request.onProgress?.(progress),
    ...(request.ask === undefined ? {} : { ask: request.ask }),
    services: callServices(line, caller, request),
  };
}

/** What tools in code see of the server: never more than their caller. */
function callServices(line: CallLine, caller: Caller, request: CallRequest): CallServices {
  return {
    list: () => line.catalog.list(caller),
    generation: line.catalog.generation,
    problems: () => line.catalog.problems(caller),
    unreadable: () => line.catalog.unreadable(caller),
    isMeta: line.catalog.isMeta,
    hasExecute: request.hasExecute ?? true,
    reload: () => line.reload(caller),
    call: (name, args) => callTool(line, caller, { ...request, name, args }),
    readResult: (id, range) => readPage(line, caller, id, range),
  };
}
