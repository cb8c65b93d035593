/**
 * One sandbox host as the server sees it: its process, the calls inside, and the decision when it must go.
 * A host is never trusted and never repaired: once it misbehaved it gets no new calls, and soon it is killed.
 */
import type { ChildProcess } from "node:child_process";
import type { ToolError } from "../core/errors.ts";
import { type BorderCaps, borderCaps, longestLine, OUT_OF_MEMORY_SIGNAL, parseFromHost, type ToHost } from "./border.ts";
import { cancelledError, crashError, firstLine, memoryError } from "./call-errors.ts";
import type { CallMessage } from "./call-order.ts";
import { CallsInside } from "./calls-inside.ts";
import { launchHost } from "./host-launch.ts";
import { type Alarm, HostMonitor } from "./host-monitor.ts";
import type { HostLoss, HostOptions } from "./host-options.ts";
import { type LastWords, readLastWords } from "./last-words.ts";
import { type LineChannel, openLineChannel } from "./line-channel.ts";
import { LiveCall, type Misbehaviour } from "./live-call.ts";
import type { SandboxCall, SandboxResult } from "./sandbox-call.ts";
import { ScriptShelf } from "./script-shelf.ts";
import { StopWatch } from "./stop-watch.ts";

/** Calls still inside a host that is given up get this long (DESIGN 3). */
const DRAIN_MS = 5_000;

/** A host must be ready within this time. */
const START_MS = 15_000;

/** Memory a host may take beyond its isolates, in MiB. */
const BASE_MEMORY_MB = 512;

interface KillOptions {
  /** Error of the calls that are cut off; SANDBOX_CRASHED with the reason by default. */
  readonly errorOf?: ((call: SandboxCall) => ToolError) | undefined;
  /** "host": what killed it happened inside, and the tools inside may be the cause. */
  readonly cause: "host" | "server";
}

/** See the head of this file. */
export class HostProcess implements AsyncDisposable {
  /** Settles when the host is ready; rejects with the reason why it never will be. */
  readonly ready: Promise<void>;
  /** Settles when the process is gone. */
  readonly exited: Promise<void>;
  readonly pid: number;
  readonly #options: HostOptions;
  readonly #bounds: BorderCaps;
  readonly #child: ChildProcess;
  readonly #channel: LineChannel;
  readonly #monitor: HostMonitor;
  readonly #scripts: ScriptShelf;
  readonly #inside = new CallsInside();
  readonly #stopping = new StopWatch();
  readonly #lastWords: LastWords;
  readonly #exit = Promise.withResolvers<void>();
  readonly #readiness = Promise.withResolvers<void>();
  #state: "starting" | "serving" | "leaving" | "gone" = "starting";
  #hadAnswered = false;
  #startTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  /** Starts the process. Throws UNAVAILABLE if not even that works. */
  constructor(options: HostOptions) {
    this.#options = options;
    this.#bounds = borderCaps(options.caps);
    const { child, pipe, stderr } = launchHost(options.command);
    this.#child = child;
    this.#lastWords = readLastWords(stderr);
    this.pid = child.pid ?? 0;
    this.ready = this.#readiness.promise;
    this.exited = this.#exit.promise;
    // Whoever waits for it sees the rejection; a standby nobody waits for must not end the server by it.
    this.ready.catch(() => undefined);
    this.#channel = openLineChannel(pipe, {
      maxLineCharacters: longestLine(this.#bounds),
      onLine: (line) => this.#onLine(line),
      onTooLong: () => this.#onBreach("a line is too long"),
      onClose: () => this.#onExit("closed its pipe"),
      sendsTogether: true,
    });
    this.#scripts = new ScriptShelf((message) => this.#send(message));
    this.#monitor = new HostMonitor({
      pid: this.pid,
      callsInside: () => this.#inside.counts,
      ceilingMb: () => this.#ceilingMb(),
      ping: (count) => this.#send({ kind: "ping", count }),
      onAlarm: (alarm) => this.#onAlarm(alarm),
    });
    child.once("error", (error) => this.#onExit(`could not start (${error.message})`));
    // "close" and not "exit": by then the last words are read.
    child.once("close", (code, signal) => this.#onExit(`ended (${signal ?? `exit code ${code}`})`, signal));
    this.#startTimer = setTimeout(() => this.#kill("was not ready in time"), START_MS);
    const { sources, caps, pool } = options;
    this.#send({ kind: "init", sources, caps, pool });
  }

  /** Whether it takes new calls. */
  get isServing(): boolean {
    return this.#state === "serving";
  }

  /** Set while a call was told to stop and it is not known whether it does: until then no new call should go in. */
  get certainty(): Promise<void> | undefined {
    return this.#stopping.certainty;
  }

  /** Calls whose isolates are not free yet. */
  get callsInside(): number {
    return this.#inside.size;
  }

  /** For `doctor`. */
  get state(): string {
    return this.#state;
  }

  /** Resident memory in MiB. */
  get rssMb(): number {
    return this.#monitor.figures.rssMb;
  }

  /** Runs a call in this host, which must be serving. `onGone` is called once, when the call takes no place any more. */
  run(call: SandboxCall, onGone: () => void): Promise<SandboxResult> {
    this.#monitor.wake();
    this.#scripts.send(call.script);
    const live: LiveCall = new LiveCall(call, {
      caps: this.#options.caps,
      bounds: this.#bounds,
      send: (message) => this.#send(message),
      onAnswered: () => this.#leaveIfEmpty(),
      onStopping: () => this.#stopping.add(call.callId),
      onFreed: () => {
        this.#inside.remove(call.callId);
        this.#stopping.delete(call.callId);
        this.#leaveIfEmpty();
      },
      onMisbehaviour: (misbehaviour) => this.#onMisbehaviour(live, misbehaviour),
    });
    this.#inside.add(live, onGone);
    live.start();
    return live.result;
  }

  /** Ends a host that has done nothing wrong; calls inside get the usual time. */
  retire(reason: string): void {
    this.#giveUp(reason, "server");
  }

  /** Kills the process and waits until it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill("was stopped with the server", { errorOf: cancelledError, cause: "server" });
    await this.exited;
  }

  #send(message: ToHost): void {
    this.#channel.send(message);
  }

  #onLine(line: string): void {
    if (this.#state === "gone") return;
    const message = parseFromHost(line, this.#bounds);
    switch (message.kind) {
      case "breach":
        this.#onBreach(message.reason);
        break;
      case "ready":
        this.#onReady();
        break;
      case "fatal":
        this.#kill(`failed: ${firstLine(message.message)}`);
        break;
      case "pong":
        if (!this.#monitor.pong(message.count, message)) this.#onBreach("an answer to no ping");
        break;
      default:
        this.#onCallMessage(message);
    }
  }

  #onReady(): void {
    if (this.#state !== "starting") {
      this.#onBreach("ready twice");
      return;
    }
    this.#state = "serving";
    clearTimeout(this.#startTimer);
    this.#readiness.resolve();
  }

  #onCallMessage(message: CallMessage): void {
    const live = this.#inside.get(message.callId);
    // A call is known until its isolate is free, so that a message was late on its way is no excuse.
    if (live === undefined) {
      this.#onBreach("a message about a call that is not inside");
      return;
    }
    live.receive(message);
    if (message.kind !== "done" || this.#hadAnswered) return;
    this.#hadAnswered = true;
    this.#options.onFirstAnswer();
  }

  #onMisbehaviour(live: LiveCall, misbehaviour: Misbehaviour): void {
    const { call } = live;
    switch (misbehaviour.kind) {
      case "computed":
        this.#giveUp("ran a script that went on computing past its end", "call", misbehaviour.isOwnFault ? call : undefined);
        break;
      case "memory":
        this.#giveUp("ran a script that was over its memory", "call", call);
        live.fail(memoryError(call));
        break;
      case "failed":
        this.#giveUp("had to drop an isolate that failed", "call", misbehaviour.isOwnFault ? call : undefined);
        live.fail(crashError(call, "had to drop the script's isolate"));
        break;
      case "breach":
        this.#onBreach(misbehaviour.reason);
    }
  }

  #onBreach(reason: string): void {
    this.#kill(`broke the protocol (${reason})`);
  }

  #onAlarm(alarm: Alarm): void {
    switch (alarm) {
      case "silent":
        this.#kill("did not answer for 2 s");
        break;
      case "memory":
        this.#kill("used too much memory", { errorOf: this.#memoryErrorIfAlone(), cause: "host" });
        break;
      case "busy-while-idle":
        this.#kill("computed with nothing to do");
    }
  }

  #onExit(reason: string, signal?: NodeJS.Signals | null): void {
    const isOver = reason !== "closed its pipe";
    if (isOver) this.#exit.resolve();
    if (this.#state === "gone") return;
    // The signal and the last words, which tell the reason, come with the end of the process; its pipe may close a moment before.
    if (!isOver) {
      this.#drainTimer ??= setTimeout(() => this.#kill(reason), 500);
      return;
    }
    if (signal === OUT_OF_MEMORY_SIGNAL || this.#lastWords.areOfMemory())
      this.#kill("ran out of memory", { errorOf: this.#memoryErrorIfAlone(), cause: "host" });
    else this.#kill(reason);
  }

  /** No new calls; those inside get a last while. */
  #giveUp(reason: string, cause: "call" | "server", culprit?: SandboxCall): void {
    if (this.#state === "leaving" || this.#state === "gone") return;
    this.#setLost({ reason, cause, culprit, suspects: [] });
    this.#drainTimer = setTimeout(() => this.#kill(reason), DRAIN_MS);
    this.#inside.releaseAnswered();
    this.#leaveIfEmpty();
  }

  #leaveIfEmpty(): void {
    if (this.#state !== "leaving") return;
    // Deferred: the caller may still be at work on the last call of this host.
    queueMicrotask(() => {
      if (this.#inside.areAllAnswered) this.#kill("is empty");
    });
  }

  #setLost(loss: Omit<HostLoss, "hadAnswered">): void {
    this.#state = "leaving";
    this.#stopping.clear();
    this.#options.onLost(this, { ...loss, hadAnswered: this.#hadAnswered });
  }

  /** Ends everything now; the calls that wait for their answer get it from `errorOf`. */
  #kill(reason: string, { errorOf, cause }: KillOptions = { cause: "host" }): void {
    if (this.#state === "gone") return;
    const { areOfOneTool } = this.#inside;
    if (this.#state !== "leaving") {
      const calls = cause === "host" ? this.#inside.calls : [];
      this.#setLost({ reason, cause, culprit: areOfOneTool ? calls[0] : undefined, suspects: areOfOneTool ? [] : calls });
    }
    this.#state = "gone";
    clearTimeout(this.#startTimer);
    clearTimeout(this.#drainTimer);
    this.#monitor[Symbol.dispose]();
    this.#channel.destroy();
    this.#child.kill("SIGKILL");
    this.#readiness.reject(new Error(`The sandbox process ${reason}.`));
    this.#inside.failAll(errorOf ?? ((call) => crashError(call, reason)));
  }

  /** A host over its memory: with one tool inside it was that one; of several, nobody can say which. */
  #memoryErrorIfAlone(): ((call: SandboxCall) => ToolError) | undefined {
    return this.#inside.areOfOneTool ? memoryError : undefined;
  }

  #ceilingMb(): number {
    return this.#options.pool.keptIsolatesMb + BASE_MEMORY_MB + this.#inside.largestMemoryMb;
  }
}
