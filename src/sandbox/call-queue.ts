/**
 * Which calls run now and which wait. First come, first served, but a call whose script already has its share of
 * places lets others pass: one slow tool must not hold up the rest.
 */
import type { ToolError } from "../core/errors.ts";
import { busyError, cancelledError, durationText } from "./call-errors.ts";

/** Bounds of the queue; `limits.concurrentCalls`, `queuedCalls` and `queueWaitMs`. */
export interface CallQueueLimits {
  readonly concurrentCalls: number;
  readonly queuedCalls: number;
  readonly queueWaitMs: number;
}

/** Who asks for a place. Calls with one key share the isolates of one script. */
export interface PlaceRequest {
  readonly key: string;
  readonly tool: string;
  readonly signal: AbortSignal;
}

/** Gives a place back; more than once does nothing. */
export type ReleasePlace = () => void;

/** Places one key gets at once; so many isolates serve a burst of short calls best. */
export const PLACES_PER_KEY = 4;

/** A call that waited this long for its key alone is no part of a burst: it gets one of the key's further places. */
const BURST_MS = 100;

interface Waiter extends PlaceRequest {
  readonly sinceMs: number;
  readonly grant: (release: ReleasePlace) => void;
  readonly refuse: (error: ToolError) => void;
}

/** See the head of this file. Owns the timers of waiting calls; `close` ends them. */
export class CallQueue {
  readonly #limits: CallQueueLimits;
  readonly #waiting = new Set<Waiter>();
  readonly #runningByKey = new Map<string, number>();
  #running = 0;
  #closed = false;

  constructor(limits: CallQueueLimits) {
    this.#limits = limits;
  }

  /** Calls that have a place, and calls that wait for one. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  /** A place, at once if one is free. Throws BUSY if the queue is full or the wait too long, CANCELLED by the signal. */
  enter(request: PlaceRequest): ReleasePlace | Promise<ReleasePlace> {
    if (this.#closed || request.signal.aborted) throw cancelledError(request);
    if (this.#waiting.size === 0 && this.#mayStart(request.key, PLACES_PER_KEY)) return this.#start(request.key);
    const { concurrentCalls, queuedCalls } = this.#limits;
    if (this.#running + this.#waiting.size >= concurrentCalls + queuedCalls) {
      const text = `Tool "${request.tool}" was not called: ${this.#running} calls run and ${this.#waiting.size} wait; together at most ${concurrentCalls + queuedCalls} ("concurrentCalls" ${concurrentCalls} and "queuedCalls" ${queuedCalls}).`;
      throw busyError(text, 1_000);
    }
    return this.#wait(request);
  }

  /** Ends every wait with CANCELLED and lets nobody in any more. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting) waiter.refuse(cancelledError(waiter));
  }

  async #wait(request: PlaceRequest): Promise<ReleasePlace> {
    const { promise, resolve, reject } = Promise.withResolvers<ReleasePlace>();
    const waiter: Waiter = { ...request, sinceMs: performance.now(), grant: resolve, refuse: reject };
    this.#waiting.add(waiter);
    const { queueWaitMs } = this.#limits;
    const burstTimer = setTimeout(() => this.#pump(), BURST_MS + 1);
    const giveUpTimer = setTimeout(() => {
      const text = `Tool "${request.tool}" waited ${durationText(queueWaitMs)} for a free place (limit "queueWaitMs"); ${this.#running} calls run.`;
      reject(busyError(text, 1_000));
    }, queueWaitMs);
    const onAbort = (): void => reject(cancelledError(request));
    request.signal.addEventListener("abort", onAbort, { once: true });
    // Those that wait may all be held up by their own keys.
    this.#pump();
    try {
      return await promise;
    } finally {
      this.#waiting.delete(waiter);
      clearTimeout(burstTimer);
      clearTimeout(giveUpTimer);
      request.signal.removeEventListener("abort", onAbort);
    }
  }

  #pump(): void {
    const nowMs = performance.now();
    for (const waiter of this.#waiting) {
      if (this.#running >= this.#limits.concurrentCalls) return;
      const share = nowMs - waiter.sinceMs >= BURST_MS ? this.#largestShare() : PLACES_PER_KEY;
      if (!this.#mayStart(waiter.key, share)) continue;
      this.#waiting.delete(waiter);
      waiter.grant(this.#start(waiter.key));
    }
  }

  /** A quarter of all places stays out of reach of any one key. */
  #largestShare(): number {
    return Math.max(PLACES_PER_KEY, Math.floor((this.#limits.concurrentCalls * 3) / 4));
  }

  #mayStart(key: string, share: number): boolean {
    return this.#running < this.#limits.concurrentCalls && (this.#runningByKey.get(key) ?? 0) < share;
  }

  #start(key: string): ReleasePlace {
    this.#running += 1;
    this.#runningByKey.set(key, (this.#runningByKey.get(key) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#running -= 1;
      const left = (this.#runningByKey.get(key) ?? 1) - 1;
      if (left > 0) this.#runningByKey.set(key, left);
      else this.#runningByKey.delete(key);
      this.#pump();
    };
  }
}
