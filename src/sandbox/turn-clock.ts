/** The time of one call inside an isolate: when it is over, and how long one turn may compute. */

/** See the head of this file. Owns a timer. */
export interface TurnClock extends Disposable {
  /** A turn begins: how long it may compute, in milliseconds, at least 1. */
  beginTurn(): number;
  endTurn(): void;
  /** While it is paused the time of the call stands still; turns still compute no longer than the call's time in all. */
  setPaused(isPaused: boolean): void;
}

/** Longest delay that timers and the library take. */
const LONGEST_MS = 2_147_483_647;

/** A clock that runs; `onLimit` is called once, when the time is over. */
export function startTurnClock(timeoutMs: number, onLimit: () => void): TurnClock {
  let endsAt = performance.now() + timeoutMs;
  let pausedAt: number | undefined;
  let turns = 0;
  let busySince = 0;
  let busyMs = 0;
  let timer = setTimeout(onLimit, timeoutMs);
  return {
    beginTurn() {
      const now = performance.now();
      if (turns === 0) busySince = now;
      turns += 1;
      const leftMs = pausedAt === undefined ? endsAt - now : Number.POSITIVE_INFINITY;
      return Math.min(LONGEST_MS, Math.max(1, Math.ceil(Math.min(leftMs, timeoutMs - busyMs))));
    },
    endTurn() {
      turns -= 1;
      if (turns === 0) busyMs += performance.now() - busySince;
    },
    setPaused(isPaused) {
      if (isPaused === (pausedAt !== undefined)) return;
      const now = performance.now();
      clearTimeout(timer);
      if (pausedAt === undefined) {
        pausedAt = now;
        return;
      }
      endsAt += now - pausedAt;
      pausedAt = undefined;
      timer = setTimeout(onLimit, Math.max(1, endsAt - now));
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
