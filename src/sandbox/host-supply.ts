/**
 * Fresh hosts: one stands by, started ahead. Hosts that die by themselves before they answered anything are started
 * again more and more slowly, and after five of them nobody waits any longer; hosts that a tool ended never count.
 */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf, ToolError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { durationText } from "./call-errors.ts";
import type { HostLoss } from "./host-options.ts";
import type { HostProcess } from "./host-process.ts";

/** How hosts are made. */
export interface HostSupplyOptions {
  /** Starts a process, with what the system can take from it or without. Throws `ToolError` if that is not possible here at all. */
  readonly launch: (isConfined: boolean) => HostProcess;
  readonly log: Log;
}

/** Pauses before the next attempt, in milliseconds, after that many failures; the last one stays. */
const PAUSES_MS = [0, 200, 500, 1_200, 2_500, 5_000];

/** Failures after which callers are told instead of waiting. */
const MAX_ATTEMPTS = 5;

/** After a host was taken, the next one is started this much later, so that the call that took it goes first. */
const NEXT_START_MS = 100;

/** Attempts before a start of the whole sandbox is given up: a native library that does not load stays so. */
const START_ATTEMPTS = 2;

interface Taker {
  readonly give: (host: HostProcess) => void;
  readonly refuse: (error: ToolError) => void;
}

/** See the head of this file. Owns the standby and its timers. */
export class HostSupply implements AsyncDisposable {
  readonly #options: HostSupplyOptions;
  readonly #takers = new Set<Taker>();
  #standby: HostProcess | undefined;
  #failures = 0;
  #lastFailure = "";
  #hasLivedConfined = false;
  #retryAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isResting: boolean;
  #closed = false;

  /** `isResting`: no host is started until it is woken by {@link takeWithin}; false by default. */
  constructor(options: HostSupplyOptions, { isResting = false }: { readonly isResting?: boolean } = {}) {
    this.#options = options;
    this.#isResting = isResting;
  }

  /** The host that stands by, ready or not. */
  get standby(): HostProcess | undefined {
    return this.#standby;
  }

  /** A ready host. Throws UNAVAILABLE with the reason while hosts do not start; otherwise waits for the next. */
  take(): HostProcess | Promise<HostProcess> {
    const standby = this.#standby;
    if (standby?.isServing) {
      this.#standby = undefined;
      this.#startSoon(NEXT_START_MS);
      return standby;
    }
    if (this.#closed || this.#isGivenUp()) throw this.#unavailable();
    const { promise, resolve, reject } = Promise.withResolvers<HostProcess>();
    this.#takers.add({ give: resolve, refuse: reject });
    if (standby === undefined && performance.now() >= this.#retryAtMs) this.#start();
    return promise;
  }

  /**
   * A ready host, or undefined if there is none within the time, in milliseconds, or hosts do not start. The first call, and
   * the first after a `rest`, only wakes the supply: from then on a host stands by.
   */
  async takeWithin(ms: number): Promise<HostProcess | undefined> {
    if (this.#isResting) {
      this.#isResting = false;
      this.#startSoon(NEXT_START_MS);
      return undefined;
    }
    if (this.#closed || this.#isGivenUp()) return undefined;
    const taken = this.take();
    if (!(taken instanceof Promise)) return taken;
    const taker = [...this.#takers].at(-1);
    const timer = setTimeout(() => {
      if (taker !== undefined && this.#takers.delete(taker)) taker.refuse(this.#unavailable());
    }, ms);
    try {
      return await taken;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the standby, unless somebody waits for it; none stands by until it is woken again. */
  rest(): void {
    if (this.#takers.size > 0) return;
    this.#isResting = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#standby?.retire("is not needed any more");
  }

  /** Starts the first host and waits for it. Throws UNAVAILABLE with the reason if hosts cannot live here. */
  async prepare(): Promise<void> {
    while (true) {
      if (performance.now() >= this.#retryAtMs) this.#start();
      const { standby } = this;
      try {
        if (standby === undefined) await delay(Math.max(1, this.#retryAtMs - performance.now()));
        else return await standby.ready;
      } catch (error) {
        if (this.#failures >= START_ATTEMPTS) throw this.#unavailable({ cause: error });
      }
      if (this.#failures >= START_ATTEMPTS) throw this.#unavailable();
    }
  }

  /** Told of every host that is given up. */
  onLost(host: HostProcess, { reason, cause, culprit, hadAnswered, suspects }: HostLoss): void {
    if (host === this.#standby) this.#standby = undefined;
    if (this.#closed) return;
    // A host that dies by itself before any call used it cannot live here; one that dies under calls may be their doing.
    const isOwnDeath = cause === "host" && culprit === undefined && suspects.length === 0 && !hadAnswered;
    if (isOwnDeath) this.#onFailure(reason);
    else if (this.#standby === undefined) this.#startSoon(NEXT_START_MS);
  }

  /** Told when a host has answered its first call: hosts can live here. */
  onFirstAnswer(): void {
    this.#failures = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const standby = this.#standby;
    this.#standby = undefined;
    this.#refuseAll();
    await standby?.[Symbol.asyncDispose]();
  }

  #startSoon(ms: number): void {
    if (this.#timer !== undefined || this.#isResting || this.#closed) return;
    this.#timer = setTimeout(() => this.#start(), ms);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#standby !== undefined || this.#closed) return;
    try {
      // What was tried may still fail with a host, which needs more than the trial: it then runs as where nothing can be had. Not once
      // a host has lived with it: what makes later ones fail may be somebody's intention.
      const isConfined = this.#hasLivedConfined || this.#failures % 2 === 0;
      const host = this.#options.launch(isConfined);
      this.#standby = host;
      // A rejection is reported through onLost, with more to go by.
      host.ready.then(() => this.#onReady(host, isConfined)).catch(() => undefined);
    } catch (error) {
      this.#onFailure(messageOf(error));
    }
  }

  #onReady(host: HostProcess, isConfined: boolean): void {
    if (isConfined) this.#hasLivedConfined = true;
    const [taker] = this.#takers;
    if (taker === undefined || host !== this.#standby) return;
    this.#takers.delete(taker);
    this.#standby = undefined;
    this.#startSoon(NEXT_START_MS);
    taker.give(host);
  }

  #onFailure(reason: string): void {
    this.#failures += 1;
    this.#lastFailure = reason;
    const pauseMs = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 0;
    this.#retryAtMs = performance.now() + pauseMs;
    this.#options.log.warn("sandbox.host.failed", { reason, failures: this.#failures, retryInMs: pauseMs });
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#startSoon(pauseMs);
    if (this.#isGivenUp()) this.#refuseAll();
  }

  #isGivenUp(): boolean {
    return this.#failures >= MAX_ATTEMPTS && this.#standby === undefined;
  }

  #refuseAll(): void {
    for (const taker of this.#takers) taker.refuse(this.#unavailable());
    this.#takers.clear();
  }

  #unavailable(options: { readonly cause?: unknown } = {}): ToolError {
    if (this.#closed) return new ToolError("CANCELLED", "The sandbox is closed: the server is stopping.");
    const retryAfterMs = Math.max(0, Math.ceil(this.#retryAtMs - performance.now()));
    return new ToolError(
      "UNAVAILABLE",
      `No script can run: the sandbox process ${this.#lastFailure}, ${this.#failures} times in a row. The next attempt is in ${durationText(retryAfterMs)}; toolyard doctor tells more.`,
      { data: { retryAfterMs }, ...options },
    );
  }
}
