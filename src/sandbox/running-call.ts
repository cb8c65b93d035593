/** What the process keeps of the call an isolate serves. */
import type { GuestCaps, IsolateEvents } from "./isolate-contract.ts";
import { startTurnClock, type TurnClock } from "./turn-clock.ts";

/** State of one call. */
export interface RunningCall {
  readonly id: string;
  readonly clock: TurnClock;
  readonly events: IsolateEvents;
  /** Host calls that wait for an answer. */
  readonly pending: Set<number>;
  readonly timers: Map<number, NodeJS.Timeout>;
  /** Settles when the isolate is free, or must be dropped. */
  readonly finished: PromiseWithResolvers<void>;
  /** Its outcome was told. */
  isDone: boolean;
}

/** A call that begins now; `onLimit` is called when its time is over. */
export function openCall(
  { id, timeoutMs }: { readonly id: string; readonly timeoutMs: number },
  events: IsolateEvents,
  onLimit: () => void,
): RunningCall {
  return {
    id,
    clock: startTurnClock(timeoutMs, onLimit),
    events,
    pending: new Set(),
    timers: new Map(),
    finished: Promise.withResolvers<void>(),
    isDone: false,
  };
}

/** Arms a timer of the call, or with a negative delay ends one. */
export function setCallTimer(call: RunningCall, timerId: number, delayMs: number, onFire: () => void): void {
  clearTimeout(call.timers.get(timerId));
  call.timers.delete(timerId);
  if (delayMs < 0) return;
  const fire = (): void => {
    call.timers.delete(timerId);
    onFire();
  };
  call.timers.set(timerId, setTimeout(fire, delayMs));
}

/** Whether the call waits for no answer and no timer. */
export function isIdle({ pending, timers }: RunningCall): boolean {
  return pending.size === 0 && timers.size === 0;
}

/** From here on nothing more comes in for the call or goes out of it. */
export function closeCall(call: RunningCall): void {
  call.isDone = true;
  // The clock goes on: what the call left behind still runs within its time.
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
