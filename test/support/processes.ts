/** Processes as /proc shows them (Linux): which belong together, and which are still there. */
import { readdirSync, readFileSync } from "node:fs";

/** Whether this system has a /proc to look at. */
export const HAS_PROC = process.platform === "linux";

/**
 * Process ids of a session, which are all descendants of a process that was started `detached`, whoever adopted them since.
 * What is dead and only waits to be collected does not count.
 */
export function processesOfSession(sessionId: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const found = stateOf(pid);
      return found !== undefined && found.session === sessionId && found.state !== "Z" && found.state !== "X";
    });
}

/** Process ids of a session whose command line contains a text. */
export function findInSession(sessionId: number, text: string): readonly number[] {
  return processesOfSession(sessionId).filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(text));
}

function stateOf(pid: number): { readonly state: string; readonly session: number } | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  // The name of the program stands in parentheses and may itself contain some.
  const [state, , , session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === undefined || session === undefined ? undefined : { state, session: Number(session) };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It ended between being listed and being read.
  }
}
