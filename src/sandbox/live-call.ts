/**
 * One call on the server's side while it is inside a host: its clock, its abort signal, and the check of every message
 * the host sends about it. The answer is given once, at the latest at the time limit, whatever the host does.
 */
import { type ErrorCode, ToolError, toCallerError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { BorderCaps, IsolateEnd, ToHost } from "./border.ts";
import { NOTICES_PER_CALL } from "./border.ts";
import { CallDeadline } from "./call-deadline.ts";
import { cancelledError, timeoutError } from "./call-errors.ts";
import { type CallMessage, CallOrder } from "./call-order.ts";
import type { GuestCaps } from "./isolate-contract.ts";
import type { CallClock, SandboxCall, SandboxResult } from "./sandbox-call.ts";
import { parseJson, readOutcome } from "./script-outcome.ts";

/** A stopped call must report within this time that its isolate waits, else its host is dirty (DESIGN 3, kill rule). */
const STOP_MS = 250;

/** Microtasks a script leaves behind may run this long after its answer. */
const AFTER_ANSWER_MS = 500;

/** Longest time a host may take to have an isolate ready with the script; the script's own clock stands still meanwhile. */
const PREPARE_MS = 10_000;

/** Why a host must be given up because of a call. */
export type Misbehaviour =
  /** It computed past a limit: its time, the moment after its answer, or a cancel by the caller (`isOwnFault` false). */
  | { readonly kind: "computed"; readonly isOwnFault: boolean }
  | { readonly kind: "memory" }
  /** The isolate, the border in it, or (not the script's fault) the making of an isolate failed. */
  | { readonly kind: "failed"; readonly isOwnFault: boolean }
  /** The host sent what it has no reason to send. */
  | { readonly kind: "breach"; readonly reason: string };

/** What a call needs of its host. */
export interface LiveCallHost {
  readonly caps: GuestCaps;
  readonly bounds: BorderCaps;
  send(message: ToHost): void;
  /** The call has been answered; its isolate may still be busy. */
  onAnswered(): void;
  /** The host was told to stop the call; whether it can is known at the latest {@link STOP_MS} later. */
  onStopping(): void;
  /** The isolate is free: nothing of the call is left in the host. */
  onFreed(): void;
  onMisbehaviour(misbehaviour: Misbehaviour): void;
}

type CallState = "preparing" | "running" | "answered" | "closed";

type HostCallMessage = Extract<CallMessage, { kind: "hostCall" }>;

/** See the head of this file. Owns its timers: `[Symbol.dispose]` ends them. */
export class LiveCall implements Disposable, CallClock {
  readonly call: SandboxCall;
  readonly result: Promise<SandboxResult>;
  readonly #host: LiveCallHost;
  readonly #resolve: (result: SandboxResult) => void;
  readonly #answeredCodes = new Set<ErrorCode>();
  readonly #pending = new Map<number, string>();
  readonly #onCancel = (): void => this.#giveUp(cancelledError(this.call), { isOwnFault: false });
  readonly #limit = new CallDeadline();
  readonly #order = new CallOrder();
  /** Made with the first host call: most calls make none. */
  #abort: AbortController | undefined;
  #state: CallState = "running";
  /** The host was told to stop it. */
  #isStopped = false;
  #stopTimer: NodeJS.Timeout | undefined;
  #isStopByFault = true;
  #hostCalls = 0;
  #notices = 0;
  #noticeCharacters = 0;

  constructor(call: SandboxCall, host: LiveCallHost) {
    this.call = call;
    this.#host = host;
    const { promise, resolve } = Promise.withResolvers<SandboxResult>();
    this.result = promise;
    this.#resolve = resolve;
  }

  /** Whether the caller has its answer. */
  get isAnswered(): boolean {
    return this.#state === "answered" || this.#state === "closed";
  }

  /** Sends the call and starts its clock. */
  start(): void {
    const { call } = this;
    const { callId, script, timeoutMs } = call;
    const { key, isolation, memoryMb } = script;
    this.#host.send({ kind: "call", callId, key, isolation, memoryMb, facts: JSON.stringify(call.facts), timeoutMs });
    call.signal.addEventListener("abort", this.#onCancel, { once: true });
    this.#startClock();
    call.onStart(() => this.#remainingMs(), this);
    if (call.signal.aborted) this.#onCancel();
  }

  /** Whether its clock stands still. */
  get isPaused(): boolean {
    return this.#limit.isPaused;
  }

  /** The script waits for a person; how long is the caller's to bound. */
  pause(): void {
    if (this.#state === "running" && this.#limit.pause()) this.#host.send({ kind: "pause", callId: this.call.callId });
  }

  resume(): void {
    if (this.#state === "running" && this.#limit.resume()) this.#host.send({ kind: "resume", callId: this.call.callId });
  }

  /** Takes a message about this call; what breaks the border in it is told to the host. */
  receive(message: CallMessage): void {
    const breach = this.#order.take(message, this.#isStopped) ?? this.#take(message);
    if (breach !== undefined) this.#host.onMisbehaviour({ kind: "breach", reason: `a call ${breach}` });
  }

  /** Ends the call with an error because its host is gone or going. */
  fail(error: ToolError): void {
    this.#answer({ kind: "error", error, cpuMs: 0 });
    this.#close();
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #take(message: CallMessage): string | undefined {
    switch (message.kind) {
      case "preparing":
        return this.#onPreparing();
      case "started":
        return this.#onStarted();
      case "hostCall":
        return this.#onHostCall(message);
      case "notice":
        return this.#onNotice(message.name, message.params);
      case "done":
        return this.#onDone(message.outcome, message.cpuMs);
      case "free":
        return this.#onFree(message.end, message.cpuMs);
    }
  }

  #startClock(): void {
    this.#limit.set(this.call.timeoutMs, () => this.#onTimeLimit());
  }

  #remainingMs(): number {
    return this.#state === "preparing" ? this.call.timeoutMs : this.#limit.leftMs;
  }

  #onPreparing(): undefined {
    if (this.#state === "answered") return;
    this.#state = "preparing";
    this.#limit.set(PREPARE_MS, () => this.#host.onMisbehaviour({ kind: "failed", isOwnFault: false }));
  }

  #onStarted(): undefined {
    if (this.#state === "answered") return;
    this.#state = "running";
    this.#startClock();
  }

  #onHostCall({ sequence, method, params }: HostCallMessage): string | undefined {
    // The message crossed the answer on its way.
    if (this.#state === "answered") return undefined;
    this.#hostCalls += 1;
    if (this.#hostCalls > this.#host.caps.hostCallsPerCall) return "makes more host calls than its limit";
    const value = parseJson(params);
    if (value === undefined) return "sends parameters that are not JSON";
    this.#pending.set(sequence, method);
    // The promise never rejects: the handler's failure is the answer.
    void this.#answerHostCall(sequence, method, value);
    return undefined;
  }

  async #answerHostCall(sequence: number, method: string, params: JsonValue): Promise<void> {
    let ok = true;
    let payload: string;
    try {
      this.#abort ??= new AbortController();
      payload = JSON.stringify(await this.call.onHostCall(method, params, this.#abort.signal));
    } catch (error) {
      ok = false;
      const { code, message } = toCallerError(error, this.call.callId);
      this.#answeredCodes.add(code);
      payload = JSON.stringify({ code, message });
    }
    this.#pending.delete(sequence);
    if (!this.isAnswered) this.#host.send({ kind: "answer", callId: this.call.callId, sequence, ok, payload });
  }

  #onNotice(name: string, params: string): string | undefined {
    if (this.#state === "answered") return undefined;
    this.#notices += 1;
    this.#noticeCharacters += params.length;
    const isOver = this.#notices > NOTICES_PER_CALL || this.#noticeCharacters > this.#host.bounds.noticeCharacters;
    const value = parseJson(params);
    if (isOver || value === undefined) return "sends notices over their limit or not JSON";
    this.call.onNotice(name, value);
    return undefined;
  }

  #onDone(outcome: string, cpuMs: number): string | undefined {
    if (this.#state === "answered") return undefined;
    const { resultBytes, mediaBytes, messageCharacters } = this.#host.caps;
    const rules = { resultBytes, mediaBytes, messageCharacters, answeredCodes: this.#answeredCodes };
    const result = readOutcome(outcome, this.call, cpuMs, rules);
    if (result === undefined) return "ends with an outcome that no guest writes";
    this.#answer(result);
    // Until the isolate is free its thread may go on: not for ever.
    this.#limit.set(AFTER_ANSWER_MS, () => this.#stop({ isOwnFault: true }));
    return undefined;
  }

  #onFree(end: IsolateEnd, cpuMs: number): undefined {
    if (end === "timeout" && this.#state !== "answered") this.#answer({ kind: "error", error: this.#timeoutError(), cpuMs });
    if (end !== "idle") this.#host.onMisbehaviour(this.#misbehaviourOf(end));
    this.#close();
    this.#host.onFreed();
  }

  #misbehaviourOf(end: Exclude<IsolateEnd, "idle">): Misbehaviour {
    switch (end) {
      case "memory":
        return { kind: "memory" };
      case "error":
        return { kind: "failed", isOwnFault: this.#state !== "preparing" };
      case "busy":
        return { kind: "computed", isOwnFault: this.#isStopByFault };
      case "timeout":
        return { kind: "computed", isOwnFault: true };
    }
  }

  #onTimeLimit(): void {
    this.#giveUp(this.#timeoutError(), { isOwnFault: true });
  }

  #timeoutError(): ToolError {
    return timeoutError(this.call, { hostCalls: this.#hostCalls, pending: [...this.#pending.values()] });
  }

  /** Answers the caller at once, then has the host stop the script. */
  #giveUp(error: ToolError, fault: { readonly isOwnFault: boolean }): void {
    if (this.isAnswered) return;
    this.#answer({ kind: "error", error, cpuMs: 0 });
    this.#stop(fault);
  }

  #stop({ isOwnFault }: { readonly isOwnFault: boolean }): void {
    this.#isStopped = true;
    this.#isStopByFault = isOwnFault;
    this.#limit.clear();
    this.#host.onStopping();
    this.#host.send({ kind: "stop", callId: this.call.callId });
    this.#stopTimer = setTimeout(() => this.#host.onMisbehaviour({ kind: "computed", isOwnFault }), STOP_MS);
  }

  #answer(result: SandboxResult): void {
    if (this.isAnswered) return;
    this.#state = "answered";
    this.#limit.clear();
    this.call.signal.removeEventListener("abort", this.#onCancel);
    this.#abort?.abort(new ToolError("CANCELLED", `The call of tool "${this.call.tool}" has ended.`));
    this.#resolve(result);
    this.#host.onAnswered();
  }

  #close(): void {
    this.#state = "closed";
    this.#limit.clear();
    clearTimeout(this.#stopTimer);
  }
}
