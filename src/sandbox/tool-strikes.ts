/**
 * Which tools cost the sandbox its hosts. A tool that did so three times within a minute is refused for a minute. One that
 * did or may have done so runs in a host of its own for a minute, so that the next time only it is hit and there is no doubt.
 * A tool pays for its own deeds only, and a changed script starts with a clean sheet.
 */
import type { ToolError } from "../core/errors.ts";
import { busyError, durationText } from "./call-errors.ts";
import type { SandboxCall } from "./sandbox-call.ts";

/** A tool as of one version of its script, called by one agent: what an agent calls it with must not take it from another. */
export interface StruckTool {
  readonly agent: string;
  readonly tool: string;
  readonly scriptKey: string;
}

/** What a call is held against. */
export function struckBy({ agent, tool, script }: SandboxCall): StruckTool {
  return { agent, tool, scriptKey: script.key };
}

/** Strikes within this time count together, and a refusal lasts as long. */
const STRIKE_WINDOW_MS = 60_000;

/** Strikes that lead to a refusal. */
const STRIKES = 3;

interface Record {
  readonly scriptKey: string;
  readonly strikesMs: readonly number[];
  readonly lastReason: string;
  readonly refusedUntilMs: number;
  readonly apartUntilMs: number;
}

/** See the head of this file. `now` gives milliseconds of any steady clock. */
export class ToolStrikes {
  readonly #now: () => number;
  readonly #records = new Map<string, Record>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** BUSY with the reason while the tool is refused. */
  refusal(struck: StruckTool): ToolError | undefined {
    const record = this.#find(struck);
    const leftMs = (record?.refusedUntilMs ?? 0) - this.#now();
    if (record === undefined || leftMs <= 0) return undefined;
    const text = `Tool "${struck.tool}" is refused for a while: ${STRIKES} times within ${durationText(STRIKE_WINDOW_MS)} its sandbox process had to be replaced, because it ${record.lastReason}. Mend the script (an edit is live at once).`;
    return busyError(text, Math.ceil(leftMs));
  }

  /** The tool caused the end of a host. True if it is refused from now on. */
  strike(struck: StruckTool, reason: string): boolean {
    const nowMs = this.#now();
    const record = this.#find(struck);
    const strikesMs = [...(record?.strikesMs ?? []), nowMs].filter((atMs) => nowMs - atMs < STRIKE_WINDOW_MS);
    const isRefused = strikesMs.length >= STRIKES;
    const refusedUntilMs = isRefused ? nowMs + STRIKE_WINDOW_MS : (record?.refusedUntilMs ?? 0);
    this.#records.set(keyOf(struck), {
      scriptKey: struck.scriptKey,
      strikesMs: isRefused ? [] : strikesMs,
      lastReason: reason,
      refusedUntilMs,
      apartUntilMs: Math.max(nowMs, refusedUntilMs) + STRIKE_WINDOW_MS,
    });
    this.#forgetOld(nowMs);
    return isRefused;
  }

  /** The tool was one of several inside a host that ended. */
  suspect(struck: StruckTool): void {
    const record = this.#find(struck);
    const { strikesMs = [], lastReason = "", refusedUntilMs = 0 } = record ?? {};
    const apartUntilMs = Math.max(this.#now() + STRIKE_WINDOW_MS, record?.apartUntilMs ?? 0);
    this.#records.set(keyOf(struck), { scriptKey: struck.scriptKey, strikesMs, lastReason, refusedUntilMs, apartUntilMs });
  }

  /** Whether the tool must run in a host of its own. */
  isApart(struck: StruckTool): boolean {
    return this.#now() < (this.#find(struck)?.apartUntilMs ?? 0);
  }

  #find(struck: StruckTool): Record | undefined {
    const record = this.#records.get(keyOf(struck));
    return record?.scriptKey === struck.scriptKey ? record : undefined;
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { strikesMs, refusedUntilMs, apartUntilMs }] of this.#records) {
      const latestMs = Math.max(refusedUntilMs, apartUntilMs, (strikesMs.at(-1) ?? 0) + STRIKE_WINDOW_MS);
      if (latestMs < nowMs) this.#records.delete(key);
    }
  }
}

function keyOf({ agent, tool }: StruckTool): string {
  return `${agent}\n${tool}`;
}
