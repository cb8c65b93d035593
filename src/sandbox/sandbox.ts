/**
 * Runs scripts. Promises: a call is answered at the latest at its time limit; whatever a script does, the next call of
 * another tool works; calls of two agents never share a process; nothing of one call is handed to the next.
 * Never does: decide what a script may do (its `onHostCall` does), repeat a call, or run any of a script's text here.
 */
import { availableParallelism } from "node:os";
import { type Confinement, confined, findConfinement } from "../core/confinement.ts";
import { ToolError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import { busyError, durationText } from "./call-errors.ts";
import { CallQueue, type ReleasePlace } from "./call-queue.ts";
import { guestCaps, poolSettings } from "./guest-caps.ts";
import { type HostCommand, hostCommand } from "./host-launch.ts";
import type { HostLoss } from "./host-options.ts";
import { HostProcess } from "./host-process.ts";
import { HostSupply } from "./host-supply.ts";
import { readRealmSources } from "./realm-sources.ts";
import type { SandboxCall, SandboxResult } from "./sandbox-call.ts";
import { type StruckTool, ToolStrikes } from "./tool-strikes.ts";

/** What a sandbox is made with. */
export interface SandboxOptions {
  /** Guest side of each member of `g`. */
  readonly capabilities: readonly { readonly name: string; readonly guest: string }[];
  readonly limits: Limits;
  readonly log: Log;
  /** Steady clock in milliseconds for the strikes of tools; `performance.now` by default. */
  readonly now?: () => number;
  /** Command line of a host; {@link hostCommand} by default. */
  readonly command?: HostCommand;
  /** Hosts that serve one agent at once, each a part of its tools; 1 below 4 cores, else 2. */
  readonly hostsPerAgent?: number;
  /** What the system can take from a host; by default it is found out at the start. */
  readonly confinement?: Confinement;
}

/** One host, for `doctor`. */
interface HostStatus {
  readonly role: "standby" | "serving" | "leaving";
  /** Whose calls it serves; absent for a standby. */
  readonly agent?: string;
  readonly pid: number;
  readonly state: string;
  readonly callsInside: number;
  readonly rssMb: number;
  /** Whether it has what the system can take from it; false after a start that failed with it. */
  readonly isConfined: boolean;
}

/** The state of a sandbox, for `doctor`. */
export interface SandboxStatus {
  readonly mode: "process";
  readonly running: number;
  readonly waiting: number;
  readonly hosts: readonly HostStatus[];
}

/** Hosts of agents kept when they have nothing to do; the least recently used are ended first. */
const MAX_IDLE_LANES = 4;

/** A second host where there are cores for it: what a tool does to its host then hits half of the others (issue 4). */
const CORES_FOR_TWO = 4;

/** The hosts of a part of one agent's tools, or of one tool that must run apart: one at a time serves. */
interface Lane {
  readonly agent: string;
  /** The tool that must run apart, if the lane is that of one. */
  readonly apart: StruckTool | undefined;
  host: HostProcess | undefined;
  pending: Promise<void> | undefined;
  /** Calls that are about to go in: an end of the lane in that moment would leave a host that nobody knows. */
  arriving: number;
}

/** See the head of this file. */
export class Sandbox implements AsyncDisposable {
  readonly #log: Log;
  readonly #limits: Limits;
  readonly #queue: CallQueue;
  readonly #strikes: ToolStrikes;
  readonly #supply: HostSupply;
  /** Least recently used first. */
  readonly #lanes = new Map<string, Lane>();
  readonly #hosts = new Set<HostProcess>();
  readonly #confined = new WeakSet<HostProcess>();
  readonly #hostsPerAgent: number;
  #closed = false;

  /** Starts the first host and waits until it can take a call. Throws UNAVAILABLE with the reason. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(options, options.confinement ?? (await findConfinement()));
    try {
      await sandbox.#supply.prepare();
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: SandboxOptions, confinement: Confinement) {
    const { capabilities, limits, log, now = () => performance.now(), command = hostCommand(), hostsPerAgent = defaultHosts() } = options;
    this.#log = log;
    this.#limits = limits;
    this.#hostsPerAgent = hostsPerAgent;
    this.#queue = new CallQueue(limits);
    this.#strikes = new ToolStrikes(now);
    const sources = readRealmSources(capabilities);
    const caps = guestCaps(limits);
    const pool = poolSettings(limits);
    const launch = (isConfined: boolean): HostProcess => {
      const host = new HostProcess({
        command: isConfined ? confined(command, confinement) : command,
        sources,
        caps,
        pool,
        onLost: (lost, loss) => this.#onLost(lost, loss),
        onFirstAnswer: () => this.#supply.onFirstAnswer(),
      });
      this.#hosts.add(host);
      if (isConfined || confinement.prefix.length === 0) this.#confined.add(host);
      else log.warn("sandbox.host.unconfined", { pid: host.pid });
      host.exited.then(() => this.#hosts.delete(host)).catch(() => undefined);
      return host;
    };
    this.#supply = new HostSupply({ launch, log });
  }

  /** Runs one call. Whatever a script or host does is in the result; a rejection is a fault of this server. */
  async run(call: SandboxCall): Promise<SandboxResult> {
    let release: ReleasePlace | undefined;
    let lane: Lane | undefined;
    try {
      this.#requireGoodStanding(call);
      const startedMs = performance.now();
      const { agent, tool, signal } = call;
      const place = this.#queue.enter({ agent, key: `${agent}\n${call.script.key}`, tool, signal });
      const free = place instanceof Promise ? await place : place;
      release = free;
      lane = this.#laneOf(call);
      lane.arriving += 1;
      const host = await this.#hostFor(lane, call, this.#limits.queueWaitMs - (performance.now() - startedMs));
      // While it waited another call of the tool may have cost it its standing.
      this.#requireGoodStanding(call);
      const result = host.run(call, () => {
        free();
        this.#endIdleLanes();
      });
      release = undefined;
      lane.arriving -= 1;
      lane = undefined;
      return await result;
    } catch (error) {
      if (error instanceof ToolError) return { kind: "error", error, cpuMs: 0 };
      throw error;
    } finally {
      if (lane !== undefined) lane.arriving -= 1;
      release?.();
    }
  }

  /** The hosts and what waits, for `doctor`. */
  status(): SandboxStatus {
    const lanes = [...this.#lanes.values()];
    const hosts = [...this.#hosts].map((host): HostStatus => {
      const { pid, state, callsInside, rssMb } = host;
      const figures = { pid, state, callsInside, rssMb, isConfined: this.#confined.has(host) };
      const agent = lanes.find((lane) => lane.host === host)?.agent;
      if (agent !== undefined) return { role: "serving", agent, ...figures };
      return { role: host === this.#supply.standby ? "standby" : "leaving", ...figures };
    });
    return { mode: "process", ...this.#queue.counts, hosts };
  }

  /** Ends every call with CANCELLED or SANDBOX_CRASHED and every process; gone when it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    await Promise.all([this.#supply[Symbol.asyncDispose](), ...[...this.#hosts].map((host) => host[Symbol.asyncDispose]())]);
  }

  #requireGoodStanding(call: SandboxCall): void {
    const refusal = this.#strikes.refusal(struckBy(call));
    if (refusal !== undefined) throw refusal;
  }

  /** The serving host of a lane. Waits for one at most `waitMs`. */
  async #hostFor(lane: Lane, call: SandboxCall, waitMs: number): Promise<HostProcess> {
    if (lane.host?.isServing && lane.host.certainty === undefined) return lane.host;
    const late = Promise.withResolvers<never>();
    const { tool, signal } = call;
    const timer = setTimeout(
      () => {
        late.reject(
          busyError(`Tool "${tool}" waited ${durationText(this.#limits.queueWaitMs)} for a sandbox process that is still starting.`, 1_000),
        );
      },
      Math.max(1, waitMs),
    );
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

  async #fill(lane: Lane): Promise<void> {
    try {
      lane.host = await this.#supply.take();
    } finally {
      lane.pending = undefined;
    }
  }

  #laneOf(call: SandboxCall): Lane {
    const { agent, tool } = call;
    const struck = struckBy(call);
    const apart = this.#strikes.isApart(struck) ? struck : undefined;
    // A tool stays with its part, where its isolates are kept.
    const key = apart === undefined ? `${agent}\npart\n${partOf(tool, this.#hostsPerAgent)}` : `${agent}\napart\n${tool}`;
    const lane = this.#lanes.get(key) ?? { agent, apart, host: undefined, pending: undefined, arriving: 0 };
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    return lane;
  }

  /** Those beyond a few, the least recently used first, and those of tools that need not run apart any more. */
  #endIdleLanes(): void {
    const isIdle = ({ arriving, pending, host }: Lane): boolean =>
      arriving === 0 && pending === undefined && (host?.callsInside ?? 0) === 0;
    const idle = [...this.#lanes].filter(([, lane]) => isIdle(lane));
    const surplus = idle.length - MAX_IDLE_LANES;
    for (const [index, [key, { apart, host }]] of idle.entries()) {
      if (index >= surplus && (apart === undefined || this.#strikes.isApart(apart))) continue;
      this.#lanes.delete(key);
      host?.retire("was idle longest");
    }
  }

  #onLost(host: HostProcess, loss: HostLoss): void {
    const { reason, culprit, suspects } = loss;
    for (const lane of this.#lanes.values()) if (lane.host === host) lane.host = undefined;
    this.#supply.onLost(host, loss);
    if (this.#closed) return;
    const fields = { pid: host.pid, reason, callId: culprit?.callId, tool: culprit?.tool, suspects: suspects.map(({ tool }) => tool) };
    this.#log.warn("sandbox.host.lost", fields);
    for (const call of suspects) this.#strikes.suspect(struckBy(call));
    if (culprit === undefined) return;
    if (this.#strikes.strike(struckBy(culprit), reason)) this.#log.warn("sandbox.tool.refused", { tool: culprit.tool, reason });
  }
}

function defaultHosts(): number {
  return availableParallelism() < CORES_FOR_TWO ? 1 : 2;
}

/** The same for the same name, spread evenly over `0` to `parts - 1`. */
function partOf(tool: string, parts: number): number {
  let mixed = 0;
  for (let index = 0; index < tool.length; index++) mixed = (Math.imul(mixed, 31) + tool.charCodeAt(index)) >>> 0;
  return mixed % parts;
}

function struckBy({ agent, tool, script }: SandboxCall): StruckTool {
  return { agent, tool, scriptKey: script.key };
}
