/** `tools/call`, from the request to the engine and back: progress, log lines, questions to people, cancellation. */
import { type InputRequiredResult, inputRequired, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { messageOf, ToolError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Ask } from "../core/question.ts";
import type { Caller, CallResult } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";
import type { CallFailure, Era } from "./call-result.ts";
import type { ClientLog } from "./client-log.ts";
import { askByRequest, canElicit, formOf, parseAnswer } from "./elicitation.ts";
import { canExecute, type Expose, readHintOf, refusalOf } from "./expose.ts";
import { createProgressSender, type ProgressSender } from "./progress.ts";
import type { CallListener, OpenQuestion, WaitingCall, WaitingCalls, WaitingState } from "./waiting-calls.ts";

/** What calls are made with. */
export interface CallServing {
  readonly engine: Engine;
  readonly expose: Expose;
  readonly log: Log;
  readonly heartbeatMs?: number;
}

/** One request. */
export interface IncomingCall {
  readonly caller: Caller;
  readonly era: Era;
  readonly name: string;
  readonly args: unknown;
  readonly context: ServerContext;
  readonly server: Server;
  readonly clientLog: ClientLog;
  readonly waiting: WaitingCalls;
}

/** How a request ends: with the result, or toward 2026-07-28 clients with a question, or with that their person would have to be asked and cannot. */
export type CallEnd =
  | { readonly kind: "result"; readonly result: Extract<CallResult, { kind: "ok" }> | CallFailure }
  | { readonly kind: "question"; readonly question: InputRequiredResult }
  | { readonly kind: "cannot-ask"; readonly name: string };

/** Answers one request. Throws nothing but what the SDK itself throws. */
export async function answerCall(serving: CallServing, call: IncomingCall): Promise<CallEnd> {
  const { name, context, era } = call;
  const refusal = refusalOf(name, serving.expose);
  if (refusal !== undefined) return { kind: "result", result: { kind: "error", code: "TOOL_NOT_FOUND", message: refusal } };
  using listener = listen(serving, call);
  const canAsk = canElicit(call.server, context, era);
  if (era === "modern") return await answerModern(serving, call, { canAsk, listener });
  const ask = canAsk ? askByRequest(context) : undefined;
  const result = await callEngine(serving, call, { ask, signal: context.mcpReq.signal, listener });
  return { kind: "result", result };
}

interface EngineCall {
  readonly ask: Ask | undefined;
  readonly signal: AbortSignal;
  readonly listener: CallListener;
}

function callEngine({ engine, expose }: CallServing, call: IncomingCall, { ask, signal, listener }: EngineCall): Promise<CallResult> {
  return engine.call(call.caller, {
    name: call.name,
    args: call.args,
    signal,
    readHint: readHintOf(expose),
    hasExecute: canExecute(expose),
    onLog: listener.log,
    onProgress: listener.progress,
    ...(ask === undefined ? {} : { ask }),
  });
}

interface ModernRequest {
  readonly canAsk: boolean;
  readonly listener: CallListener;
}

/** What a script hears that asks a person of a client that shows no forms. */
const CANNOT_ASK = "This call has nobody to ask: its client does not support elicitation.";

/** What is said where nothing waits for an answer any more. */
const OVER: CallFailure = {
  kind: "error",
  code: "UNAVAILABLE",
  message: "No call waits for this answer: it has ended, or was answered already. Call the tool again, without the old answer.",
};

async function answerModern(serving: CallServing, call: IncomingCall, { canAsk, listener }: ModernRequest): Promise<CallEnd> {
  const { mcpReq } = call.context;
  const responses = mcpReq.inputResponses ?? {};
  const state = mcpReq.requestState<WaitingState>();
  if (state === undefined) {
    let wasAsked = false;
    const refuse: Ask = async () => {
      wasAsked = true;
      throw new ToolError("UNAVAILABLE", CANNOT_ASK);
    };
    const begun = call.waiting.begin((ask, signal, to) => callEngine(serving, call, { ask: canAsk ? ask : refuse, signal, listener: to }));
    // A client may bring answers with its first request, each for the question of its name.
    const end = await follow(call, begun, listener, new Map(Object.entries(responses)));
    // A script that goes on without the answer did what was asked of it, and one that fails by something else says that.
    const isFailed = end.kind === "result" && end.result.kind === "error" && end.result.code === "UNAVAILABLE";
    return wasAsked && isFailed ? { kind: "cannot-ask", name: call.name } : end;
  }
  const parked = call.waiting.take(state, call);
  if (parked === undefined) return { kind: "result", result: OVER };
  const { key } = parked.question.question;
  const answer = Object.hasOwn(responses, key) ? parseAnswer(responses[key]) : undefined;
  if (answer !== undefined) parked.question.answer(answer);
  return await follow(call, parked.call, listener, new Map());
}

/** Waits for the result, or for the next question that the client has not brought the answer to. */
async function follow(call: IncomingCall, waiting: WaitingCall, listener: CallListener, responses: Map<string, unknown>): Promise<CallEnd> {
  const { signal } = call.context.mcpReq;
  const onAbort = (): void => waiting.cancel();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  waiting.listener = listener;
  try {
    for (;;) {
      const next = await Promise.race([waiting.result, waiting.nextQuestion()]);
      if ("kind" in next) return { kind: "result", result: next };
      const { key } = next.question;
      const answer = parseAnswer(responses.get(key));
      responses.delete(key);
      if (answer === undefined) return await park(call, waiting, next);
      next.answer(answer);
    }
  } finally {
    waiting.listener = undefined;
    signal.removeEventListener("abort", onAbort);
  }
}

async function park(call: IncomingCall, waiting: WaitingCall, question: OpenQuestion): Promise<CallEnd> {
  const requestState = await call.waiting.park({ call: waiting, question }, call, call.context);
  const { key } = question.question;
  const inputRequests = { [key]: inputRequired.elicit(formOf(question.question)) };
  return { kind: "question", question: inputRequired({ inputRequests, requestState }) };
}

function listen({ log, heartbeatMs }: CallServing, { context, clientLog }: IncomingCall): CallListener & Disposable {
  const progress = progressOf(context, log, heartbeatMs);
  return {
    log: (line) => clientLog(context, line),
    progress: (step) => progress?.send(step),
    [Symbol.dispose]: () => progress?.[Symbol.dispose](),
  };
}

function progressOf({ mcpReq }: ServerContext, log: Log, heartbeatMs: number | undefined): ProgressSender | undefined {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return undefined;
  const notify = (params: object): void => {
    mcpReq
      .notify({ method: "notifications/progress", params: { ...params } })
      .catch((error: unknown) => log.debug("mcp.progress.failed", { error: messageOf(error) }));
  };
  return createProgressSender(token, notify, heartbeatMs === undefined ? {} : { heartbeatMs });
}
