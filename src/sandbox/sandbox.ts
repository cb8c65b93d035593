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
import { CallQueue, type ReleasePlace } from "./call-queue.ts";
import { guestCaps, poolSettings } from "./guest-caps.ts";
import { HostLanes, type Lane } from "./host-lanes.ts";
import { type HostCommand, hostCommand } from "./host-launch.ts";
import type { HostLoss } from "./host-options.ts";
import { HostProcess } from "./host-process.ts";
import { HostSupply } from "./host-supply.ts";
import { findBackgroundPrefix, toBackground } from "./process-priority.ts";
import { readRealmSources } from "./realm-sources.ts";
import type { SandboxCall, SandboxResult } from "./sandbox-call.ts";
import { struckBy, ToolStrikes } from "./tool-strikes.ts";

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
  /** Hosts in the background are ended after so many milliseconds without a call; a minute by default. */
  readonly backgroundIdleMs?: number;
  /** What the system can take from a host; by default it is found out at the start. */
  readonly confinement?: Confinement;
}

const BACKGROUND_IDLE_MS = 60_000;

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

/** A second host where there are cores for it: what a tool does to its host then hits half of the others (issue 4). */
const CORES_FOR_TWO = 4;

/** See the head of this file. */
export class Sandbox implements AsyncDisposable {
  readonly #log: Log;
  readonly #limits: Limits;
  readonly #queue: CallQueue;
  readonly #strikes: ToolStrikes;
  readonly #front: HostSupply;
  readonly #back: HostSupply;
  readonly #lanes: HostLanes;
  readonly #hosts = new Set<HostProcess>();
  readonly #confined = new WeakSet<HostProcess>();
  #closed = false;

  /** Starts the first host and waits until it can take a call. Throws UNAVAILABLE with the reason. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const found = Promise.all([options.confinement ?? findConfinement(), findBackgroundPrefix()]);
    const sandbox = new Sandbox(options, ...(await found));
    try {
      await sandbox.#front.prepare();
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: SandboxOptions, confinement: Confinement, backgroundPrefix: readonly string[]) {
    const { capabilities, limits, log, now = () => performance.now(), command = hostCommand(), hostsPerAgent = defaultHosts() } = options;
    this.#log = log;
    this.#limits = limits;
    this.#queue = new CallQueue(limits);
    this.#strikes = new ToolStrikes(now);
    const sources = readRealmSources(capabilities);
    const caps = guestCaps(limits);
    const pool = poolSettings(limits);
    const launch = (isConfined: boolean, prefix: readonly string[], supply: () => HostSupply): HostProcess => {
      const host = new HostProcess({
        command: confined(isConfined ? confined(command, confinement) : command, { prefix }),
        sources,
        caps,
        pool,
        onLost: (lost, loss) => this.#onLost(lost, loss, supply()),
        onFirstAnswer: () => supply().onFirstAnswer(),
      });
      this.#hosts.add(host);
      if (isConfined || confinement.prefix.length === 0) this.#confined.add(host);
      else log.warn("sandbox.host.unconfined", { pid: host.pid });
      host.exited.then(() => this.#hosts.delete(host)).catch(() => undefined);
      return host;
    };
    const front: HostSupply = new HostSupply({ launch: (isConfined) => launch(isConfined, [], () => front), log });
    const launchInBackground = (isConfined: boolean): HostProcess => {
      const host = launch(isConfined, backgroundPrefix, () => back);
      toBackground(host.pid);
      return host;
    };
    const back: HostSupply = new HostSupply({ launch: launchInBackground, log }, { isResting: true });
    this.#front = front;
    this.#back = back;
    const { backgroundIdleMs = BACKGROUND_IDLE_MS } = options;
    this.#lanes = new HostLanes({
      front,
      back,
      toBackground: ({ pid }) => toBackground(pid),
      strikes: this.#strikes,
      hostsPerAgent,
      queueWaitMs: limits.queueWaitMs,
      backgroundIdleMs,
    });
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
      lane = this.#lanes.enter(call);
      const host = await this.#lanes.hostFor(lane, call, this.#limits.queueWaitMs - (performance.now() - startedMs));
      // While it waited another call of the tool may have cost it its standing.
      this.#requireGoodStanding(call);
      const result = host.run(call, () => {
        free();
        this.#lanes.endIdle();
      });
      release = undefined;
      this.#lanes.leave(lane);
      lane = undefined;
      const ended = await result;
      if (endedWell(ended)) this.#lanes.endedWell(call);
      return ended;
    } catch (error) {
      if (error instanceof ToolError) return { kind: "error", error, cpuMs: 0 };
      throw error;
    } finally {
      if (lane !== undefined) this.#lanes.leave(lane);
      release?.();
    }
  }

  /** The hosts and what waits, for `doctor`. */
  status(): SandboxStatus {
    const hosts = [...this.#hosts].map((host): HostStatus => {
      const { pid, state, callsInside, rssMb } = host;
      const figures = { pid, state, callsInside, rssMb, isConfined: this.#confined.has(host) };
      const agent = this.#lanes.agentOf(host);
      if (agent !== undefined) return { role: "serving", agent, ...figures };
      return { role: host === this.#front.standby || host === this.#back.standby ? "standby" : "leaving", ...figures };
    });
    return { mode: "process", ...this.#queue.counts, hosts };
  }

  /** Ends every call with CANCELLED or SANDBOX_CRASHED and every process; gone when it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    this.#lanes[Symbol.dispose]();
    const supplies = [this.#front, this.#back];
    await Promise.all([...supplies, ...this.#hosts].map((owned) => owned[Symbol.asyncDispose]()));
  }

  #requireGoodStanding(call: SandboxCall): void {
    const refusal = this.#strikes.refusal(struckBy(call));
    if (refusal !== undefined) throw refusal;
  }

  #onLost(host: HostProcess, loss: HostLoss, supply: HostSupply): void {
    const { reason, culprit, suspects } = loss;
    this.#lanes.onLost(host, loss);
    supply.onLost(host, loss);
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

/** Whether the script ran to its end: with a value or an error of its own. */
function endedWell(result: SandboxResult): boolean {
  return result.kind !== "error" || result.error.code === "SCRIPT_ERROR";
}
