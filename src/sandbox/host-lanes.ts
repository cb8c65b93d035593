/**
 * Which host serves a call. Proven tools of an agent share hosts in the foreground. A tool that is not proven gets in there
 * only while no proven one is; else those on trial share a host in the background, and a tool that cost its host, or may
 * have, has one of its own there. What a bad script does to its host or to the processor then hits no proven tool.
 */
import { ToolError } from "../core/errors.ts";
import { busyError, durationText } from "./call-errors.ts";
import type { HostLoss } from "./host-options.ts";
import type { HostProcess } from "./host-process.ts";
import type { HostSupply } from "./host-supply.ts";
import type { SandboxCall } from "./sandbox-call.ts";
import { type StruckTool, struckBy, type ToolStrikes } from "./tool-strikes.ts";
import { ToolTrials } from "./tool-trials.ts";

/** Idle lanes that are kept; the least recently used are ended first. */
const MAX_IDLE_LANES = 4;

/** A call in the background waits so long for a host there: with nothing else on the machine a start takes half a second. */
const BACKGROUND_START_MS = 3_000;

/** What the lanes of a sandbox are made of. */
export interface HostLanesOptions {
  /** Hosts in the foreground. */
  readonly front: HostSupply;
  /** Hosts in the background. */
  readonly back: HostSupply;
  /** Puts a host of the foreground into the background. */
  readonly toBackground: (host: HostProcess) => void;
  readonly strikes: ToolStrikes;
  /** Hosts in the foreground that serve one agent, each a part of its tools. */
  readonly hostsPerAgent: number;
  readonly queueWaitMs: number;
  /** A lane in the background is ended after so many milliseconds without a call: most tools leave it after a few calls. */
  readonly backgroundIdleMs: number;
}

/** Hosts that take the place of each other: one at a time serves. */
export interface Lane {
  readonly agent: string;
  /** The tool that must run apart, if the lane is that of one. */
  readonly apart: StruckTool | undefined;
  /** Ends a lane in the background that has nothing to do; undefined in the foreground. */
  readonly idleTimer: NodeJS.Timeout | undefined;
  host: HostProcess | undefined;
  pending: Promise<void> | undefined;
  /** Calls that are about to go in: an end of the lane in that moment would leave a host that nobody knows. */
  arriving: number;
  /** A proven tool has used it. */
  hasProven: boolean;
}

/** See the head of this file. Owns no process: the supplies and the sandbox do. */
export class HostLanes implements Disposable {
  readonly #options: HostLanesOptions;
  readonly #trials = new ToolTrials();
  /** Least recently used first. */
  readonly #lanes = new Map<string, Lane>();

  constructor(options: HostLanesOptions) {
    this.#options = options;
  }

  /** The agent whose calls a host serves now. */
  agentOf(host: HostProcess): string | undefined {
    for (const lane of this.#lanes.values()) if (lane.host === host) return lane.agent;
    return undefined;
  }

  /** The lane of a call that begins; it is kept until `arriving` is 0 again. */
  enter(call: SandboxCall): Lane {
    const { agent, tool } = call;
    const struck = struckBy(call);
    if (this.#options.strikes.isApart(struck)) return this.#use(`${agent}\napart\n${tool}`, agent, { isBackground: true, apart: struck });
    // A tool stays with its part, where its isolates are kept.
    const part = `${agent}\npart\n${partOf(tool, this.#options.hostsPerAgent)}`;
    const isProven = this.#trials.isProven(struck);
    if (!isProven && this.#lanes.get(part)?.hasProven === true) return this.#use(`${agent}\ntrial`, agent, { isBackground: true });
    const lane = this.#use(part, agent, { isBackground: false });
    lane.hasProven ||= isProven;
    return lane;
  }

  /** A call of the lane's went in or will not; lanes with nothing to do may be ended. */
  leave(lane: Lane): void {
    lane.arriving -= 1;
  }

  /** The serving host of a lane. Waits for one at most `waitMs`; throws BUSY, CANCELLED or UNAVAILABLE. */
  async hostFor(lane: Lane, call: SandboxCall, waitMs: number): Promise<HostProcess> {
    if (lane.host?.isServing && lane.host.certainty === undefined) return lane.host;
    const late = Promise.withResolvers<never>();
    const { tool, signal } = call;
    const text = `Tool "${tool}" waited ${durationText(this.#options.queueWaitMs)} for a sandbox process that is still starting.`;
    const timer = setTimeout(() => late.reject(busyError(text, 1_000)), Math.max(1, waitMs));
    const onAbort = (): void => late.reject(new ToolError("CANCELLED", `The call of tool "${tool}" was cancelled before it started.`));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      while (true) {
        // A host that may have to go within 250 ms must not take more calls with it.
        if (lane.host?.certainty !== undefined) await Promise.race([lane.host.certainty, late.promise]);
        if (lane.host?.isServing) return lane.host;
        lane.pending ??= this.#fill(lane);
        await Promise.race([lane.pending, late.promise]);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** A call ended with a value or an error of its script's own. */
  endedWell(call: SandboxCall): void {
    const struck = struckBy(call);
    if (!this.#trials.isProven(struck)) this.#trials.endedWell(struck);
  }

  /** Ends those with nothing to do beyond a few, the least recently used first, and those of tools that need not run apart any more. */
  endIdle(): void {
    const idle = [...this.#lanes].filter(([, lane]) => isIdle(lane));
    const surplus = idle.length - MAX_IDLE_LANES;
    for (const [index, [key, { apart }]] of idle.entries()) {
      if (index < surplus || (apart !== undefined && !this.#options.strikes.isApart(apart))) this.#end(key);
    }
  }

  /** Told of every host that gets no calls any more. */
  onLost(host: HostProcess, { culprit, suspects }: HostLoss): void {
    for (const lane of this.#lanes.values()) if (lane.host === host) lane.host = undefined;
    for (const call of culprit === undefined ? suspects : [culprit]) this.#trials.restart(struckBy(call));
  }

  [Symbol.dispose](): void {
    for (const { idleTimer } of this.#lanes.values()) clearTimeout(idleTimer);
  }

  #use(key: string, agent: string, { isBackground, apart }: { readonly isBackground: boolean; readonly apart?: StruckTool }): Lane {
    const lane = this.#lanes.get(key) ?? this.#open(key, agent, isBackground, apart);
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    lane.idleTimer?.refresh();
    lane.arriving += 1;
    return lane;
  }

  #open(key: string, agent: string, isBackground: boolean, apart: StruckTool | undefined): Lane {
    const idleTimer = isBackground ? setTimeout(() => this.#endIfIdle(key), this.#options.backgroundIdleMs).unref() : undefined;
    return { agent, apart, idleTimer, host: undefined, pending: undefined, arriving: 0, hasProven: false };
  }

  #endIfIdle(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    if (isIdle(lane)) this.#end(key);
    else lane.idleTimer?.refresh();
  }

  #end(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    this.#lanes.delete(key);
    clearTimeout(lane.idleTimer);
    lane.host?.retire("was idle longest");
    if (![...this.#lanes.values()].some(isOfBackground)) this.#options.back.rest();
  }

  async #fill(lane: Lane): Promise<void> {
    try {
      lane.host = isOfBackground(lane) ? await this.#takeForBackground() : await this.#options.front.take();
    } finally {
      lane.pending = undefined;
    }
  }

  /** The first after a while does not wait for a start, and none waits for one long: the standby of the foreground is at hand. */
  async #takeForBackground(): Promise<HostProcess> {
    const { front, back, toBackground } = this.#options;
    const ready = await back.takeWithin(BACKGROUND_START_MS);
    if (ready !== undefined) return ready;
    const host = await front.take();
    toBackground(host);
    return host;
  }
}

function isIdle({ arriving, pending, host }: Lane): boolean {
  return arriving === 0 && pending === undefined && (host?.callsInside ?? 0) === 0;
}

function isOfBackground({ idleTimer }: Lane): boolean {
  return idleTimer !== undefined;
}

/** The same for the same name, spread evenly over `0` to `parts - 1`. */
function partOf(tool: string, parts: number): number {
  let mixed = 0;
  for (let index = 0; index < tool.length; index++) mixed = (Math.imul(mixed, 31) + tool.charCodeAt(index)) >>> 0;
  return mixed % parts;
}
