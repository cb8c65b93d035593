/** What the process keeps of the call an isolate serves. */
import type { IsolateEvents } from "./isolate-contract.ts";

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
