import { messageOf, ToolError, toCallerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue, kindText } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { CallContext, Caller, CallFigures, CallResult, CallServices, ReloadReport, Tool } from "../core/tool.ts";
import { argumentsMessage, issueText } from "../schema/arguments-message.ts";
import type { Catalog } from "./catalog.ts";
import type { CallRequest } from "./engine.ts";
import { figureFields, type RecordSink } from "./record.ts";
import { shapeResult } from "./shape.ts";
import type { ValidatorCache } from "./validators.ts";

/** What the line of a call needs. */
export interface CallLine {
  readonly catalog: Catalog;
  readonly reload: (caller: Caller) => Promise<ReloadReport>;
  readonly validators: ValidatorCache;
  readonly log: Log;
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
  let result: CallResult;
  try {
    await line.catalog.refresh({ kind: "tool", name: request.name });
    generation = line.catalog.generation();
    const tool = line.catalog.find(request.name, caller);
    const args = checkArguments(line, tool, request.args);
    const outcome = await tool.call(callContext(line, caller, request, { callId, startedAtMs }), args);
    if (outcome.kind === "delegated") return outcome.result;
    figures = outcome.figures;
    if (outcome.kind === "error") throw outcome.error;
    checkOutput(line, tool, outcome.value);
    result = shapeResult(callId, tool.definition, outcome.value, {
      maxCharacters: tool.definition.limits?.resultCharacters ?? LIMITS.resultCharacters.default,
    });
  } catch (error) {
    if (!(error instanceof ToolError) || error.audience === "operator") reason = messageOf(error);
    result = { kind: "error", callId, ...toCallerError(error, callId) };
  }
  line.record({
    callId,
    tool: request.name,
    agent: caller.agent,
    origin: caller.origin,
    generation,
    outcome: result.kind === "ok" ? "ok" : result.code,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    ...figureFields(figures),
    resultCharacters: result.kind === "ok" ? result.text.length : result.message.length,
    ...(reason === undefined ? {} : { reason }),
  });
  return result;
}

function checkArguments(line: CallLine, tool: Tool, given: unknown): JsonObject {
  const { name, parameters, limits } = tool.definition;
  const maxBytes = limits?.argumentsBytes ?? LIMITS.argumentsBytes.default;
  const args = given ?? {};
  if (!isJsonObject(args)) {
    throw new ToolError("INVALID_ARGUMENTS", `Arguments of ${name} must be a JSON object; found ${kindText(args)}.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > maxBytes) {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `Arguments of ${name} are ${bytes} bytes; the limit is ${maxBytes} ("argumentsBytes"). Send less, or pass a reference to the data.`,
    );
  }
  const checked = line.validators.arguments(parameters).validate(tool.repair?.(args) ?? args);
  if (!checked.ok) {
    const issues = checked.issues.map((issue) => ({ ...issue }));
    throw new ToolError("INVALID_ARGUMENTS", argumentsMessage(name, checked.issues), { data: { issues, parameters } });
  }
  return isJsonObject(checked.value) ? checked.value : {};
}

function checkOutput(line: CallLine, tool: Tool, value: JsonValue): void {
  const { name, output } = tool.definition;
  if (output === undefined) return;
  const checked = line.validators.output(output).validate(value);
  if (checked.ok) return;
  const lines = checked.issues.map((issue) => `- ${issueText(issue, "the result")}`);
  throw new ToolError(
    "OUTPUT_MISMATCH",
    `${name} returned what its "output" schema does not allow:\n${lines.join("\n")}\nFix the script or the schema.`,
    { data: { issues: checked.issues.map((issue) => ({ ...issue })) } },
  );
}

function callContext(line: CallLine, caller: Caller, request: CallRequest, call: { callId: string; startedAtMs: number }): CallContext {
  return {
    callId: call.callId,
    caller,
    startedAtMs: call.startedAtMs,
    signal: request.signal,
    log: (entry) => {
      line.log[entry.level]("script.log", { callId: call.callId, tool: request.name, text: entry.text });
      request.onLog?.(entry);
    },
    progress: (progress) => request.onProgress?.(progress),
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
    reload: () => line.reload(caller),
    call: (name, args) => callTool(line, caller, { ...request, name, args }),
  };
}
