/**
 * The isolates of one sandbox host: those kept per script, one call at a time each, and the spares that stand ready.
 * An isolate leaves the pool with a call and comes back only if that call left it whole; the pool never hands out one
 * that serves another call, another script, or in mode "call" one that has served before.
 */
import type { HostScript, Isolation, PoolSettings } from "./border.ts";
import type { Isolate } from "./isolate.ts";
import type { GuestCaps, IsolateOptions, RealmSources } from "./isolate-contract.ts";

/** Makes one isolate; from `Isolate.create` of isolate.ts, passed in because that file loads the native library. */
export type MakeIsolate = (options: IsolateOptions) => Promise<Isolate>;

/** What a call asks for. */
export interface IsolateRequest {
  readonly isolation: Isolation;
  readonly memoryMb: number;
  readonly script: HostScript;
}

/** An isolate in use by one call, or why the script does not load (a syntax error, no function of the entry's name). */
export type Lease =
  | { readonly ok: true; readonly isolate: Isolate; readonly request: IsolateRequest }
  | { readonly ok: false; readonly message: string; readonly line: number | undefined; readonly column: number | undefined };

/** Pool of one host. Times come from `performance.now()`. */
export interface IsolatePoolOptions extends PoolSettings {
  readonly make: MakeIsolate;
  readonly sources: RealmSources;
  readonly caps: GuestCaps;
}

interface KeptIsolate {
  readonly isolate: Isolate;
  readonly request: IsolateRequest;
  readonly sinceMs: number;
}

/** See the head of this file. */
export class IsolatePool implements Disposable {
  readonly #options: IsolatePoolOptions;
  /** Idle isolates, least recently used first. */
  #kept: KeptIsolate[] = [];
  readonly #spares: Record<Isolation, Promise<Isolate> | undefined> = { tool: undefined, call: undefined };
  #refillTimer: NodeJS.Timeout | undefined;
  readonly #idleTimer: NodeJS.Timeout;

  constructor(options: IsolatePoolOptions) {
    this.#options = options;
    this.#idleTimer = setInterval(() => this.#dropIdle(), Math.max(100, options.idleMs / 4));
  }

  /** Makes the spares now. Rejects if an isolate cannot be made or its realm is not closed. */
  async prepare(): Promise<void> {
    await this.#spare("tool");
    await this.#spare("call");
  }

  /** A kept isolate for the request, if one is idle. */
  takeKept(request: IsolateRequest): Lease | undefined {
    if (request.isolation === "call") return undefined;
    const index = this.#kept.findLastIndex((kept) => fits(kept.request, request));
    const [kept] = index < 0 ? [] : this.#kept.splice(index, 1);
    return kept === undefined ? undefined : { ok: true, isolate: kept.isolate, request };
  }

  /** A new isolate with the script loaded: a spare where its size fits, else made now. */
  async takeNew(request: IsolateRequest): Promise<Lease> {
    const isolate = await this.#take(request);
    const { source, file, entry } = request.script;
    const loaded = await isolate.load({ source, file, entry });
    if (loaded.ok) return { ok: true, isolate, request };
    isolate.dispose();
    return { ok: false, message: loaded.message, line: loaded.line, column: loaded.column };
  }

  /** Takes an isolate back after a call that left it whole; keeps it if its mode, size and age allow. */
  giveBack(isolate: Isolate, request: IsolateRequest): void {
    const { callsPerIsolate, keptIsolates, keptIsolatesMb } = this.#options;
    const isWorn = isolate.calls >= callsPerIsolate || isolate.isDisposed || isolate.heapUsedMb() > request.memoryMb / 2;
    if (request.isolation === "call" || isWorn) {
      isolate.dispose();
      return;
    }
    this.#kept.push({ isolate, request, sinceMs: performance.now() });
    while (this.#kept.length > keptIsolates || memoryOf(this.#kept) > keptIsolatesMb) this.#kept.shift()?.isolate.dispose();
  }

  /** Makes missing spares after a moment without another call of this function: never in the way of a call. */
  refillSoon(): void {
    if (this.#spares.tool !== undefined && this.#spares.call !== undefined) return;
    if (this.#refillTimer !== undefined) {
      this.#refillTimer.refresh();
      return;
    }
    this.#refillTimer = setTimeout(() => {
      this.#refillTimer = undefined;
      // A spare that cannot be made is tried again by the call that needs it, which then reports the reason.
      this.prepare().catch(() => undefined);
    }, this.#options.quietMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#idleTimer);
    clearTimeout(this.#refillTimer);
    for (const { isolate } of this.#kept.splice(0)) isolate.dispose();
  }

  async #take({ isolation, memoryMb }: IsolateRequest): Promise<Isolate> {
    const spare = this.#spares[isolation];
    if (memoryMb !== this.#options.spareMemoryMb || spare === undefined) return await this.#make(isolation, memoryMb);
    this.#spares[isolation] = undefined;
    return await spare;
  }

  async #spare(isolation: Isolation): Promise<void> {
    const spare = this.#spares[isolation] ?? this.#make(isolation, this.#options.spareMemoryMb);
    this.#spares[isolation] = spare;
    try {
      await spare;
    } catch (error) {
      if (this.#spares[isolation] === spare) this.#spares[isolation] = undefined;
      throw error;
    }
  }

  #make(isolation: Isolation, memoryMb: number): Promise<Isolate> {
    const { make, sources, caps } = this.#options;
    return make({ memoryMb, hardened: isolation === "tool", sources, caps });
  }

  #dropIdle(): void {
    const oldestMs = performance.now() - this.#options.idleMs;
    const isStale = (kept: KeptIsolate): boolean => kept.sinceMs < oldestMs;
    for (const kept of this.#kept) if (isStale(kept)) kept.isolate.dispose();
    this.#kept = this.#kept.filter((kept) => !isStale(kept));
  }
}

function fits(kept: IsolateRequest, wanted: IsolateRequest): boolean {
  return kept.script.key === wanted.script.key && kept.memoryMb === wanted.memoryMb;
}

function memoryOf(kept: readonly KeptIsolate[]): number {
  return kept.reduce((sum, { request }) => sum + request.memoryMb, 0);
}
