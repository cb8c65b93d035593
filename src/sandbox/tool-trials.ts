/**
 * Which tools have shown that they leave their host alone: only those share a host with others that have. A tool whose
 * script is new, changed, or cost a host lately is on trial.
 */
import type { StruckTool } from "./tool-strikes.ts";

/** Calls that must have ended with a value or an error of the script's own. */
export const CALLS_OF_TRIAL = 5;

/** Tools that are remembered; the oldest is forgotten first and is then on trial again. */
const MOST_TOOLS = 4_000;

interface Trial {
  readonly scriptKey: string;
  ended: number;
}

/** See the head of this file. */
export class ToolTrials {
  readonly #trials = new Map<string, Trial>();

  isProven(tool: StruckTool): boolean {
    const trial = this.#trials.get(keyOf(tool));
    return trial?.scriptKey === tool.scriptKey && trial.ended >= CALLS_OF_TRIAL;
  }

  /** A call of the tool ended as it should. */
  endedWell(tool: StruckTool): void {
    const key = keyOf(tool);
    const trial = this.#trials.get(key);
    if (trial?.scriptKey === tool.scriptKey) {
      trial.ended += 1;
      return;
    }
    const [oldest] = this.#trials.keys();
    if (oldest !== undefined && this.#trials.size >= MOST_TOOLS) this.#trials.delete(oldest);
    this.#trials.set(key, { scriptKey: tool.scriptKey, ended: 1 });
  }

  /** The tool cost its host, or may have: its trial begins again. */
  restart(tool: StruckTool): void {
    this.#trials.delete(keyOf(tool));
  }
}

function keyOf({ agent, tool }: StruckTool): string {
  return `${agent}\n${tool}`;
}
