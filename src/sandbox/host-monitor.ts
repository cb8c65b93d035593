/**
 * Watches one host from outside while calls run in it, and a moment longer: whether it answers, how much memory it
 * takes, and whether it computes with nothing to do. None of it relies on the host's good will.
 */
import { type ProcessFigures, readProcessFigures } from "./process-figures.ts";

/** What a monitor found; each is a reason to kill the host. */
export type Alarm = "silent" | "memory" | "busy-while-idle";

/** What a monitor asks and tells. */
export interface MonitoredHost {
  readonly pid: number;
  /** Calls whose isolates are not free yet: those that may compute, and those that wait for a person. */
  readonly callsInside: () => { readonly running: number; readonly waiting: number };
  /** Resident memory over which the host is killed, in MiB. */
  readonly ceilingMb: () => number;
  readonly ping: (count: number) => void;
  readonly onAlarm: (alarm: Alarm) => void;
}

const TICK_MS = 100;
const PING_EVERY_MS = 500;
/** An unanswered ping this old means that the host's event loop is blocked or stopped (DESIGN 3). */
const SILENT_MS = 2_000;
/** After a tick this late it was this process that stood still, so what is unanswered proves nothing. */
const LATE_TICK_MS = 1_000;
const IDLE_WINDOW_MS = 1_000;
/** CPU time a host may use with no call inside until it is quiet: making spare isolates takes under 0.2 s. */
const IDLE_CPU_MS = 500;
/** CPU time in one idle window at or below which a host is quiet: answers to pings, the last of a collection. */
const QUIET_CPU_MS = 50;

/** `cpuMs`: CPU time when the last call was out; `atMs` and `windowCpuMs`: start of the present window and CPU time then. */
interface IdleWatch {
  readonly cpuMs: number;
  readonly atMs: number;
  readonly windowCpuMs: number;
}

/** See the head of this file. Owns a timer, which does not keep the process alive. */
export class HostMonitor implements Disposable {
  readonly #host: MonitoredHost;
  #timer: NodeJS.Timeout | undefined;
  #figures: ProcessFigures = { rssMb: 0, cpuMs: 0 };
  #lastTickMs = 0;
  #pings = 0;
  #pingSentMs = 0;
  #isPingOpen = false;
  #idle: IdleWatch | undefined;

  constructor(host: MonitoredHost) {
    this.#host = host;
  }

  /** Latest known figures; zero before the first. */
  get figures(): ProcessFigures {
    return readProcessFigures(this.#host.pid) ?? this.#figures;
  }

  /** Starts watching; called with each call that goes in. */
  wake(): void {
    this.#idle = undefined;
    if (this.#timer !== undefined) return;
    this.#lastTickMs = performance.now();
    this.#sendPing(this.#lastTickMs);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Takes the answer to a ping; false if it answers none. */
  pong(count: number, figures: ProcessFigures): boolean {
    if (!this.#isPingOpen || count !== this.#pings) return false;
    this.#isPingOpen = false;
    this.#figures = figures;
    return true;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const nowMs = performance.now();
    const isLate = nowMs - this.#lastTickMs > LATE_TICK_MS;
    this.#lastTickMs = nowMs;
    if (isLate) this.#pingSentMs = nowMs;
    this.#figures = readProcessFigures(this.#host.pid) ?? this.#figures;
    const alarm = this.#alarm(nowMs);
    if (alarm !== undefined) {
      this[Symbol.dispose]();
      this.#host.onAlarm(alarm);
      return;
    }
    if (!this.#isPingOpen && nowMs - this.#pingSentMs >= PING_EVERY_MS) this.#sendPing(nowMs);
  }

  #alarm(nowMs: number): Alarm | undefined {
    if (this.#isPingOpen && nowMs - this.#pingSentMs > SILENT_MS) return "silent";
    if (this.#figures.rssMb > this.#host.ceilingMb()) return "memory";
    const { running, waiting } = this.#host.callsInside();
    if (running > 0) {
      this.#idle = undefined;
      return undefined;
    }
    const { cpuMs } = this.#figures;
    const idle = this.#idle ?? { cpuMs, atMs: nowMs, windowCpuMs: cpuMs };
    this.#idle = idle;
    if (nowMs - idle.atMs < IDLE_WINDOW_MS) return undefined;
    if (cpuMs - idle.cpuMs > IDLE_CPU_MS) return "busy-while-idle";
    // On a busy machine a host that computes all the time gets less than that in one window: the sum goes on.
    if (cpuMs - idle.windowCpuMs > QUIET_CPU_MS) this.#idle = { ...idle, atMs: nowMs, windowCpuMs: cpuMs };
    // Calls that wait for a person have no time limit of their own meanwhile: what they compute is noticed here.
    else if (waiting > 0) this.#idle = undefined;
    // A ping that is still open keeps the watch going: a stopped host must not pass as an idle one.
    else if (!this.#isPingOpen) this[Symbol.dispose]();
    return undefined;
  }

  #sendPing(nowMs: number): void {
    this.#pings += 1;
    this.#pingSentMs = nowMs;
    this.#isPingOpen = true;
    this.#host.ping(this.#pings);
  }
}
