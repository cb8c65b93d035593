import type { ToolError } from "../core/errors.ts";
import type { LiveCall } from "./live-call.ts";
import type { SandboxCall } from "./sandbox-call.ts";

interface Entry {
  readonly live: LiveCall;
  /** Called when the call takes no place any more; may be called again. */
  readonly onGone: () => void;
}

/** The calls inside one host, from the moment they are sent until their isolates are free. */
export class CallsInside {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** Those that run, and those whose clocks stand still while they wait for a person. */
  get counts(): { readonly running: number; readonly waiting: number } {
    const waiting = [...this.#entries.values()].filter(({ live }) => live.isPaused).length;
    return { running: this.#entries.size - waiting, waiting };
  }

  get calls(): readonly SandboxCall[] {
    return [...this.#entries.values()].map(({ live }) => live.call);
  }

  /** Whether no caller waits for an answer any more. */
  get areAllAnswered(): boolean {
    return [...this.#entries.values()].every(({ live }) => live.isAnswered);
  }

  /** Whether the calls are of one tool, which is then to blame for what they do to the host. */
  get areOfOneTool(): boolean {
    return new Set(this.calls.map(({ tool }) => tool)).size <= 1;
  }

  /** Largest memory limit among them, in MiB. */
  get largestMemoryMb(): number {
    return Math.max(0, ...this.calls.map(({ script }) => script.memoryMb));
  }

  add(live: LiveCall, onGone: () => void): void {
    this.#entries.set(live.call.callId, { live, onGone });
  }

  get(callId: string): LiveCall | undefined {
    return this.#entries.get(callId)?.live;
  }

  /** Takes a call out and gives its place back. */
  remove(callId: string): void {
    const entry = this.#entries.get(callId);
    if (entry === undefined) return;
    this.#entries.delete(callId);
    entry.live[Symbol.dispose]();
    entry.onGone();
  }

  /** Gives the places of answered calls back although their isolates are still busy: they no longer matter. */
  releaseAnswered(): void {
    for (const { live, onGone } of this.#entries.values()) if (live.isAnswered) onGone();
  }

  /** Ends every call that waits for its answer with an error, and takes all out. */
  failAll(errorOf: (call: SandboxCall) => ToolError): void {
    for (const { live } of this.#entries.values()) if (!live.isAnswered) live.fail(errorOf(live.call));
    for (const callId of [...this.#entries.keys()]) this.remove(callId);
  }
}
