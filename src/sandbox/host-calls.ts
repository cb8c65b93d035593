/**
 * The calls inside one sandbox host: gives each an isolate, passes its messages on, and counts them once more.
 * What a script sends beyond the caps of the guest means that the guest was overcome: the isolate is dropped.
 * Nothing here decides what a script may do; that is the server's part.
 */
import type { BorderCaps, FromHost, HostScript, IsolateEnd, ToHost } from "./border.ts";
import { NOTICES_PER_CALL } from "./border.ts";
import type { Isolate } from "./isolate.ts";
import type { GuestCaps } from "./isolate-contract.ts";
import type { IsolatePool, IsolateRequest, Lease } from "./isolate-pool.ts";

type CallMessage = Extract<ToHost, { kind: "call" }>;
type AnswerMessage = Extract<ToHost, { kind: "answer" }>;

/** How much later than the server a host itself ends a call. */
const LATER_LIMIT_MS = 1_000;

/** What the calls of a host share. */
export interface HostCallsOptions {
  readonly pool: IsolatePool;
  readonly caps: GuestCaps;
  readonly bounds: BorderCaps;
  readonly send: (message: FromHost) => void;
}

interface HostedCall {
  readonly callId: string;
  /** Set once the isolate is there. */
  isolate: Isolate | undefined;
  cpuMsAtStart: number;
  /** As of the last time it could be asked: a disposed isolate tells nothing. */
  cpuMs: number;
  hostCalls: number;
  notices: number;
  noticeCharacters: number;
  isDone: boolean;
  isStopped: boolean;
  isFreed: boolean;
}

/** Calls and scripts of one host. */
export interface HostCalls {
  addScript(script: HostScript): void;
  forgetScript(key: string): void;
  start(message: CallMessage): void;
  answer(message: AnswerMessage): void;
  /** The call waits for a person, or goes on. */
  setPaused(callId: string, isPaused: boolean): void;
  stop(callId: string): void;
  /** The call that an isolate serves. */
  callOf(isolate: Isolate): string | undefined;
}

/** The calls of a host that has its pool. */
export function createHostCalls(options: HostCallsOptions): HostCalls {
  const scripts = new Map<string, HostScript>();
  const calls = new Map<string, HostedCall>();

  const start = (message: CallMessage): void => {
    const script = scripts.get(message.key);
    // The server sends a script before its first call; without it there is nothing to run and nothing to say.
    if (script === undefined) throw new Error("a call names a script that was not sent");
    const call: HostedCall = {
      callId: message.callId,
      isolate: undefined,
      cpuMsAtStart: 0,
      cpuMs: 0,
      hostCalls: 0,
      notices: 0,
      noticeCharacters: 0,
      isDone: false,
      isStopped: false,
      isFreed: false,
    };
    calls.set(call.callId, call);
    const request: IsolateRequest = { isolation: message.isolation, memoryMb: message.memoryMb, script };
    // The promise never rejects: serve() turns every failure into a message.
    void serve(options, call, message, request).finally(() => {
      calls.delete(call.callId);
      options.pool.refillSoon();
    });
  };

  return {
    addScript: (script) => scripts.set(script.key, script),
    forgetScript: (key) => scripts.delete(key),
    start,
    answer({ callId, sequence, ok, payload }) {
      calls.get(callId)?.isolate?.deliver(callId, sequence, ok, payload);
    },
    setPaused(callId, isPaused) {
      calls.get(callId)?.isolate?.setPaused(callId, isPaused);
    },
    stop(callId) {
      const call = calls.get(callId);
      if (call !== undefined) stopCall(options, call);
    },
    callOf: (isolate) => [...calls.values()].find((call) => call.isolate === isolate)?.callId,
  };
}

async function serve(options: HostCallsOptions, call: HostedCall, message: CallMessage, request: IsolateRequest): Promise<void> {
  const { pool } = options;
  try {
    const lease = pool.takeKept(request) ?? (await prepare(options, call, request));
    if (!lease.ok) {
      const { message: text, line, column } = lease;
      const place = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
      const outcome = { kind: "error", name: "SyntaxError", message: text, file: request.script.file, ...place };
      sendDone(options, call, JSON.stringify(outcome));
      free(options, call, "idle");
      return;
    }
    if (call.isStopped) {
      pool.giveBack(lease.isolate, request);
      free(options, call, "idle");
      return;
    }
    call.isolate = lease.isolate;
    call.cpuMsAtStart = lease.isolate.cpuMs();
    await runIn(lease.isolate, options, call, message);
    if (!call.isFreed) pool.giveBack(lease.isolate, request);
    free(options, call, "idle");
  } catch (error) {
    call.isolate?.dispose();
    // A stopped call's isolate was disposed while it waited, and what it ran rejects for that reason alone.
    free(options, call, call.isStopped ? "idle" : endOf(error));
  }
}

async function prepare({ pool, send }: HostCallsOptions, call: HostedCall, request: IsolateRequest): Promise<Lease> {
  send({ kind: "preparing", callId: call.callId });
  const lease = await pool.takeNew(request);
  if (lease.ok && !call.isStopped) send({ kind: "started", callId: call.callId });
  return lease;
}

async function runIn(isolate: Isolate, options: HostCallsOptions, call: HostedCall, message: CallMessage): Promise<void> {
  await isolate.run(
    // The server's clock decides and stops the call; this later limit is for a server that does not come to it.
    { id: call.callId, factsJson: message.facts, timeoutMs: message.timeoutMs + LATER_LIMIT_MS },
    {
      onHostCall: (sequence, method, params) => forwardHostCall(options, call, { sequence, method, params }),
      onNotice: (name, params) => forwardNotice(options, call, name, params),
      onDone: (outcome) => sendDone(options, call, outcome),
    },
  );
}

function forwardHostCall(
  options: HostCallsOptions,
  call: HostedCall,
  { sequence, method, params }: { readonly sequence: number; readonly method: string; readonly params: string },
): void {
  if (call.isDone || call.isStopped || call.isFreed) return;
  call.hostCalls += 1;
  if (call.hostCalls > options.caps.hostCallsPerCall || params.length > options.bounds.paramsCharacters) {
    breakOff(options, call);
    return;
  }
  options.send({ kind: "hostCall", callId: call.callId, sequence, method, params });
}

function forwardNotice(options: HostCallsOptions, call: HostedCall, name: string, params: string): void {
  if (call.isDone || call.isStopped || call.isFreed) return;
  call.notices += 1;
  call.noticeCharacters += params.length;
  // Dropped without a word: the guest has already cut the log, with one line saying so.
  if (call.notices > NOTICES_PER_CALL || call.noticeCharacters > options.bounds.noticeCharacters) return;
  options.send({ kind: "notice", callId: call.callId, name, params });
}

function sendDone(options: HostCallsOptions, call: HostedCall, outcome: string): void {
  if (call.isDone || call.isStopped || call.isFreed) return;
  if (outcome.length > options.bounds.outcomeCharacters) {
    breakOff(options, call);
    return;
  }
  call.isDone = true;
  options.send({ kind: "done", callId: call.callId, outcome, cpuMs: cpuMsOf(call) });
}

/** Ends a call on the server's word. One that computes cannot be trusted to stop, and the server is told so at once. */
function stopCall(options: HostCallsOptions, call: HostedCall): void {
  call.isStopped = true;
  const { isolate } = call;
  if (isolate === undefined) {
    // Its isolate is still being made; nothing of the script has run.
    free(options, call, "idle");
    return;
  }
  call.cpuMs = cpuMsOf(call);
  if (isolate.isRunning) free(options, call, "busy");
  isolate.dispose();
}

function breakOff(options: HostCallsOptions, call: HostedCall): void {
  free(options, call, "error");
  call.isolate?.dispose();
}

function free(options: HostCallsOptions, call: HostedCall, end: IsolateEnd): void {
  if (call.isFreed) return;
  call.isFreed = true;
  options.send({ kind: "free", callId: call.callId, end, cpuMs: cpuMsOf(call) });
}

function cpuMsOf(call: HostedCall): number {
  const { isolate, cpuMsAtStart } = call;
  if (isolate !== undefined && !isolate.isDisposed) call.cpuMs = Math.max(0, isolate.cpuMs() - cpuMsAtStart);
  return call.cpuMs;
}

/** `IsolateDropped` of isolate.ts begins its message with the reason. */
function endOf(error: unknown): IsolateEnd {
  const reason = error instanceof Error ? error.message.split(":", 1)[0] : undefined;
  return reason === "timeout" || reason === "memory" ? reason : "error";
}
