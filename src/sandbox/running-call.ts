/** What the process keeps of the call an isolate serves. */
import type { GuestCaps, IsolateEvents } from "./isolate-contract.ts";

/** State of one call. */
export interface RunningCall {
  readonly id: string;
  /** By `performance.now()`. */
  readonly endsAt: number;
  readonly events: IsolateEvents;
  /** Host calls that wait for an answer. */
  readonly pending: Set<number>;
  readonly timers: Map<number, NodeJS.Timeout>;
  /** Settles when the isolate is free, or must be dropped. */
  readonly finished: PromiseWithResolvers<void>;
  /** Its outcome was told. */
  isDone: boolean;
}

/** A call that begins now. */
export function openCall(id: string, timeoutMs: number, events: IsolateEvents): RunningCall {
  return {
    id,
    endsAt: performance.now() + timeoutMs,
    events,
    pending: new Set(),
    timers: new Map(),
    finished: Promise.withResolvers<void>(),
    isDone: false,
  };
}

/** From here on nothing more comes in for the call or goes out of it. */
export function closeCall(call: RunningCall): void {
  call.isDone = true;
  call.pending.clear();
  for (const timer of call.timers.values()) clearTimeout(timer);
  call.timers.clear();
}

/** The outcome of a call whose facts are too large to go in. */
export function factsTooLong(bytes: number, { argumentsBytes }: GuestCaps): string {
  const message = `The arguments and settings of the call are ${bytes} bytes of JSON; the limit is ${argumentsBytes} ("argumentsBytes" in "limits").`;
  return JSON.stringify({ kind: "error", name: "Error", message, code: "INVALID_ARGUMENTS" });
}

/** The answer in place of one that is too large to go in. */
export function answerTooLong({ responseBodyBytes }: GuestCaps): string {
  return JSON.stringify({
    code: "RESPONSE_TOO_LARGE",
    message: `The answer is over the limit of ${responseBodyBytes} bytes ("responseBodyBytes" in "limits").`,
  });
}
