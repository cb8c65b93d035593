/**
 * Runs scripts. Promises: a call is answered at the latest at its time limit; whatever a script does, the next call of
 * another tool works; calls of two agents never share a process; nothing of one call is handed to the next.
 * Never does: decide what a script may do (its `onHostCall` does), repeat a call, or run any of a script's text here.
 */
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
import { ToolStrikes } from "./tool-strikes.ts";

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

/** The hosts of one agent, or of one suspect tool of it: one at a time serves. */
interface Lane {
  readonly agent: string;
  host: HostProcess | undefined;
  pending: Promise<void> | undefined;
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
  #closed = false;

  /** Starts the first host and waits until it can take a call. Throws UNAVAILABLE with the reason. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(options);
    try {
      await sandbox.#supply.prepare();
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor({ capabilities, limits, log, now = () => performance.now(), command = hostCommand() }: SandboxOptions) {
    this.#log = log;
    this.#limits = limits;
    this.#queue = new CallQueue(limits);
    this.#strikes = new ToolStrikes(now);
    const sources = readRealmSources(capabilities);
    const caps = guestCaps(limits);
    const pool = poolSettings(limits);
    const launch = (): HostProcess => {
      const host = new HostProcess({
        command,
        sources,
        caps,
        pool,
        onLost: (lost, loss) => this.#onLost(lost, loss),
        onFirstAnswer: () => this.#supply.onFirstAnswer(),
      });
      this.#hosts.add(host);
      host.exited.then(() => this.#hosts.delete(host)).catch(() => undefined);
      return host;
    };
    this.#supply = new HostSupply({ launch, log });
  }

  /** Runs one call. Whatever a script or host does is in the result; a rejection is a fault of this server. */
  async run(call: SandboxCall): Promise<SandboxResult> {
    let release: ReleasePlace | undefined;
    try {
      this.#requireGoodStanding(call);
      const startedMs = performance.now();
      const { tool, signal } = call;
      const place = this.#queue.enter({ key: `${call.agent}\n${call.script.key}`, tool, signal });
      const free = place instanceof Promise ? await place : place;
      release = free;
      const host = await this.#hostFor(call, this.#limits.queueWaitMs - (performance.now() - startedMs));
      // While it waited another call of the tool may have cost it its standing.
      this.#requireGoodStanding(call);
      const result = host.run(call, () => {
        free();
        this.#endIdleLanes();
      });
      release = undefined;
      return await result;
    } catch (error) {
      if (error instanceof ToolError) return { kind: "error", error, cpuMs: 0 };
      throw error;
    } finally {
      release?.();
    }
  }

  /** The hosts and what waits, for `doctor`. */
  status(): SandboxStatus {
    const lanes = [...this.#lanes.values()];
    const hosts = [...this.#hosts].map((host): HostStatus => {
      const { pid, state, callsInside, rssMb } = host;
      const figures = { pid, state, callsInside, rssMb };
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

  /** The serving host of the call's lane. Waits for one at most `waitMs`. */
  async #hostFor(call: SandboxCall, waitMs: number): Promise<HostProcess> {
    const lane = this.#laneOf(call);
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
    const key = this.#strikes.isSuspect(struckBy(call)) ? `${agent}\n${tool}` : agent;
    const lane = this.#lanes.get(key) ?? { agent, host: undefined, pending: undefined };
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    return lane;
  }

  #endIdleLanes(): void {
    if (this.#lanes.size <= MAX_IDLE_LANES) return;
    const idle = [...this.#lanes].filter(([, lane]) => lane.pending === undefined && (lane.host?.callsInside ?? 0) === 0);
    for (const [key, lane] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_LANES))) {
      this.#lanes.delete(key);
      lane.host?.retire("was idle longest");
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

function struckBy({ tool, script }: SandboxCall): { readonly tool: string; readonly scriptKey: string } {
  return { tool, scriptKey: script.key };
}
