/**
 * Calls of 2026-07-28 clients that wait for a person. That protocol has no requests to clients: the call is answered with
 * the question, and the client calls again with the answer. The script does not run again: it stays where it waits.
 */
import { createHash, randomBytes } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { newId } from "../core/ids.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import type { Caller, CallResult, LogLine, Progress } from "../core/tool.ts";

/** What goes to the client and comes back: which call, and which of its questions. Signed, and bound to agent and method. */
export interface WaitingState {
  readonly id: string;
  readonly round: number;
}

/** Who called what; an answer must come with the same. */
export interface CallIdentity {
  readonly caller: Caller;
  readonly name: string;
  readonly args: unknown;
}

/** A question of a call. */
export interface OpenQuestion {
  readonly question: Question;
  /** False once it was answered or its time was over. */
  isOpen(): boolean;
  answer(answer: Answer): void;
}

/** Where log lines and progress of a call go: to the request of its client that is open. */
export interface CallListener {
  log(line: LogLine): void;
  progress(progress: Progress): void;
}

/** A call that was begun and has not given its result to the client. It may go on over several requests. */
export interface WaitingCall {
  readonly result: Promise<CallResult>;
  /** Undefined while no request of its client is open. */
  listener: CallListener | undefined;
  /** The first open question, or the next one. Never settles when the call asks no more: race it against `result`. */
  nextQuestion(): Promise<OpenQuestion>;
  cancel(): void;
}

/** A call and the question that its client was given. */
export interface ParkedCall {
  readonly call: WaitingCall;
  readonly question: OpenQuestion;
}

/** Runs a call with what asks, the signal that ends it, and a listener that is always there. */
export type RunCall = (ask: Ask, signal: AbortSignal, listener: CallListener) => Promise<CallResult>;

/** The calls of a server, or of one connection over stdio. */
export interface WaitingCalls extends Disposable {
  readonly codec: RequestStateCodec<WaitingState>;
  /** Begins a call; `run` never rejects. */
  begin(run: RunCall): WaitingCall;
  /** Keeps a call until its client comes back with the state that is given. */
  park(parked: ParkedCall, identity: CallIdentity, context: ServerContext): Promise<string>;
  /** The call of a state, once; undefined if it is over, was answered already, or is of somebody else. */
  take(state: WaitingState, identity: CallIdentity): ParkedCall | undefined;
}

/** A result that nobody fetched is kept this long after the call has ended, in milliseconds. */
const RESULT_MS = 60_000;

/** Longer than a question may take by `questionMs`, whose limit decides. */
const STATE_SECONDS = 900;

/** Makes the table of one server; disposing it cancels what waits. */
export function createWaitingCalls(): WaitingCalls {
  const parked = new Map<string, ParkedCall & { readonly key: string; readonly round: number }>();
  const numbers = new WeakMap<WaitingCall, { readonly id: string; readonly round: number }>();
  const begun = new Set<WaitingCall>();
  return {
    codec: createRequestStateCodec<WaitingState>({
      key: randomBytes(32),
      ttlSeconds: STATE_SECONDS,
      // The agent of a token over HTTP; over stdio there is one caller.
      bind: ({ mcpReq, http }) => `${mcpReq.method}\n${http?.authInfo?.clientId ?? ""}`,
    }),
    begin: (run) => {
      const call = beginCall(run);
      begun.add(call);
      void call.result.then(() => begun.delete(call));
      return call;
    },
    async park(waiting, identity, context) {
      const { call } = waiting;
      const known = numbers.get(call);
      const state = known === undefined ? { id: newId(), round: 0 } : { id: known.id, round: known.round + 1 };
      numbers.set(call, state);
      parked.set(state.id, { ...waiting, key: keyOf(identity), round: state.round });
      if (known === undefined) void call.result.then(() => setTimeout(() => parked.delete(state.id), RESULT_MS).unref());
      return this.codec.mint(state, context);
    },
    take: ({ id, round }, identity) => {
      const found = parked.get(id);
      if (found === undefined || found.round !== round || found.key !== keyOf(identity)) return undefined;
      parked.delete(id);
      return found;
    },
    [Symbol.dispose]: () => {
      for (const call of begun) call.cancel();
      parked.clear();
    },
  };
}

function beginCall(run: RunCall): WaitingCall {
  const controller = new AbortController();
  const open = new Set<OpenQuestion>();
  let wake = Promise.withResolvers<void>();
  const ask: Ask = (question, signal) => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const asked: OpenQuestion = {
      question,
      isOpen: () => open.has(asked),
      answer: (answer) => {
        if (open.delete(asked)) resolve(answer);
      },
    };
    open.add(asked);
    signal.addEventListener("abort", () => open.delete(asked), { once: true });
    wake.resolve();
    return promise;
  };
  const listener: CallListener = {
    log: (line) => call.listener?.log(line),
    progress: (progress) => call.listener?.progress(progress),
  };
  const call: WaitingCall = {
    // Deferred, so that the call is there before the first line of its log.
    result: Promise.resolve().then(() => run(ask, controller.signal, listener)),
    listener: undefined,
    nextQuestion: async () => {
      for (;;) {
        const [first] = open;
        if (first !== undefined) return first;
        wake = Promise.withResolvers();
        await wake.promise;
      }
    },
    cancel: () => controller.abort(),
  };
  return call;
}

function keyOf({ caller, name, args }: CallIdentity): string {
  return createHash("sha256")
    .update(JSON.stringify([caller.agent, name, args ?? null]))
    .digest("hex");
}
