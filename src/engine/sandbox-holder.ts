import { messageOf } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import { Sandbox, type SandboxStatus } from "../sandbox/sandbox.ts";
import type { SandboxCall, SandboxResult } from "../sandbox/sandbox-call.ts";

/** What a sandbox is started with. */
export interface SandboxHolderOptions {
  readonly capabilities: readonly { readonly name: string; readonly guest: string }[];
  /** Limits as they are now; a change starts another sandbox for the next calls. */
  readonly limits: () => Limits;
  readonly log: Log;
}

interface Held {
  /** As it was last seen: every reading of the workspace makes a new object, most often with the same values. */
  limits: Limits;
  readonly sandbox: Promise<Sandbox>;
  callsInside: number;
  isRetired: boolean;
}

/** The sandbox of a runtime: started at the first call or ahead of it, and replaced when limits change, after the calls inside the old one. */
export class SandboxHolder implements AsyncDisposable {
  readonly #options: SandboxHolderOptions;
  readonly #all = new Set<Held>();
  #current: Held | undefined;
  #isClosed = false;

  constructor(options: SandboxHolderOptions) {
    this.#options = options;
  }

  /** Starts it now, so that the first call does not wait; a failure is told to that call. */
  warmUp(): void {
    this.#held().sandbox.catch((error: unknown) => this.#options.log.error("sandbox.start.failed", { reason: messageOf(error) }));
  }

  async run(call: SandboxCall): Promise<SandboxResult> {
    const held = this.#held();
    held.callsInside += 1;
    try {
      return await (await held.sandbox).run(call);
    } finally {
      held.callsInside -= 1;
      this.#endIfIdle(held);
    }
  }

  /** Undefined while it was not started. */
  async status(): Promise<SandboxStatus | undefined> {
    return this.#current === undefined ? undefined : (await this.#current.sandbox).status();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((held) => this.#end(held)));
  }

  #held(): Held {
    const limits = this.#options.limits();
    const current = this.#current;
    if (current !== undefined) {
      if (areSame(current.limits, limits)) {
        current.limits = limits;
        return current;
      }
      current.isRetired = true;
      this.#endIfIdle(current);
    }
    const { capabilities, log } = this.#options;
    const held: Held = { limits, sandbox: Sandbox.start({ capabilities, limits, log }), callsInside: 0, isRetired: false };
    this.#all.add(held);
    this.#current = held;
    // A start that failed is not kept: the next call tries again.
    held.sandbox.catch(() => this.#forget(held));
    return held;
  }

  #forget(held: Held): void {
    this.#all.delete(held);
    if (this.#current === held) this.#current = undefined;
  }

  #endIfIdle(held: Held): void {
    if (!held.isRetired || held.callsInside > 0 || this.#isClosed) return;
    this.#end(held).catch((error: unknown) => this.#options.log.error("sandbox.end.failed", { reason: messageOf(error) }));
  }

  async #end(held: Held): Promise<void> {
    this.#forget(held);
    // One that never started has nothing to end; whoever waited for it was told.
    const sandbox = await held.sandbox.catch(() => undefined);
    await sandbox?.[Symbol.asyncDispose]();
  }
}

/** The table's keys in its order on both sides, so equal texts are equal limits. */
function areSame(known: Limits, now: Limits): boolean {
  return known === now || JSON.stringify(known) === JSON.stringify(now);
}
