/**
 * Which calls run now and which wait. A free place goes to the agent, and of its calls to the script, that has the fewest;
 * among equals first come, first served. No script and, where there are several, no agent gets all places or the whole
 * queue: one slow tool must not hold up the rest.
 */
import type { ToolError } from "../core/errors.ts";
import { busyError, cancelledError, durationText } from "./call-errors.ts";

/** Bounds of the queue; `limits.concurrentCalls`, `queuedCalls` and `queueWaitMs`. */
export interface CallQueueLimits {
  readonly concurrentCalls: number;
  readonly queuedCalls: number;
  readonly queueWaitMs: number;
}

/** Who asks for a place. Calls with one key share the isolates of one script; a key belongs to one agent. */
export interface PlaceRequest {
  readonly agent: string;
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
  /** Of every agent that was ever here: whether there are several decides what one may take. */
  readonly #runningByAgent = new Map<string, number>();
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
    if (!this.#runningByAgent.has(request.agent)) this.#runningByAgent.set(request.agent, 0);
    // Whoever waits while a place is free is held up by its own share, and may be passed.
    if (this.#mayStart(request, PLACES_PER_KEY)) return this.#start(request);
    const { concurrentCalls, queuedCalls } = this.#limits;
    if (this.#running + this.#waiting.size >= concurrentCalls + queuedCalls) {
      const yielding = this.#mostCrowded(request);
      if (yielding === undefined) throw this.#fullError(request);
      this.#waiting.delete(yielding);
      yielding.refuse(this.#fullError(yielding));
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
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next);
      next.grant(this.#start(next));
    }
  }

  /** The first of those that may start whose agent, and then whose key, has the fewest places. */
  #next(): Waiter | undefined {
    if (this.#running >= this.#limits.concurrentCalls) return undefined;
    const nowMs = performance.now();
    let best: Waiter | undefined;
    let fewest: readonly [number, number] = [0, 0];
    for (const waiter of this.#waiting) {
      const share = nowMs - waiter.sinceMs >= BURST_MS ? this.#largestShare() : PLACES_PER_KEY;
      if (!this.#mayStart(waiter, share)) continue;
      const [ofAgent, ofKey] = [this.#runningByAgent.get(waiter.agent) ?? 0, this.#runningByKey.get(waiter.key) ?? 0];
      if (best !== undefined && (ofAgent > fewest[0] || (ofAgent === fewest[0] && ofKey >= fewest[1]))) continue;
      best = waiter;
      fewest = [ofAgent, ofKey];
    }
    return best;
  }

  /**
   * Who makes room in a full queue: the newest of the agent with the most waiting calls, or else of the own key with the most,
   * if that has more than the newcomer's would. It has had no effect yet, so that BUSY costs nothing but a second try.
   */
  #mostCrowded({ agent, key }: PlaceRequest): Waiter | undefined {
    const ofAgents = Map.groupBy(this.#waiting, (waiter) => waiter.agent);
    const own = ofAgents.get(agent) ?? [];
    const crowd = longest(ofAgents);
    if (crowd.length > own.length + 1) return longest(Map.groupBy(crowd, (waiter) => waiter.key)).at(-1);
    const ofKeys = Map.groupBy(own, (waiter) => waiter.key);
    const crowdOfKey = longest(ofKeys);
    return crowdOfKey.length > (ofKeys.get(key)?.length ?? 0) + 1 ? crowdOfKey.at(-1) : undefined;
  }

  #fullError({ tool }: PlaceRequest): ToolError {
    const { concurrentCalls, queuedCalls } = this.#limits;
    const most = concurrentCalls + queuedCalls;
    const text = `Tool "${tool}" was not called: ${this.#running} calls run and ${this.#waiting.size} wait; together at most ${most} ("concurrentCalls" ${concurrentCalls} and "queuedCalls" ${queuedCalls}).`;
    return busyError(text, 1_000);
  }

  /** A quarter of all places stays out of reach of any one key, and of any one agent where there are several. */
  #largestShare(): number {
    return Math.max(1, Math.floor((this.#limits.concurrentCalls * 3) / 4));
  }

  #mayStart({ agent, key }: PlaceRequest, share: number): boolean {
    const largest = this.#largestShare();
    if (this.#running >= this.#limits.concurrentCalls || (this.#runningByKey.get(key) ?? 0) >= Math.min(share, largest)) return false;
    return this.#runningByAgent.size === 1 || (this.#runningByAgent.get(agent) ?? 0) < largest;
  }

  #start({ agent, key }: PlaceRequest): ReleasePlace {
    this.#running += 1;
    this.#runningByAgent.set(agent, (this.#runningByAgent.get(agent) ?? 0) + 1);
    this.#runningByKey.set(key, (this.#runningByKey.get(key) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#running -= 1;
      this.#runningByAgent.set(agent, (this.#runningByAgent.get(agent) ?? 1) - 1);
      const left = (this.#runningByKey.get(key) ?? 1) - 1;
      if (left > 0) this.#runningByKey.set(key, left);
      else this.#runningByKey.delete(key);
      this.#pump();
    };
  }
}

function longest(groups: ReadonlyMap<string, readonly Waiter[]>): readonly Waiter[] {
  return [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most), []);
}
