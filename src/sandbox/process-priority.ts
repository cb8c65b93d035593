/** How much of a busy machine a child process gets. It is never given more again: no system lets a user do that. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { promisify } from "node:util";
import { findProgram, PROGRAM_FOLDERS } from "../core/confinement.ts";

/** Steps by which a process in the background stands behind this one: about a third of its share where both compute. */
const BACKGROUND_STEPS = 5;

/** Longest time of the trial, in milliseconds; usual are 5. */
const TRIAL_MS = 2_000;

/** Where nothing else computes the process is as quick as before. Does nothing if it is gone or the system refuses. */
export function toBackground(pid: number): void {
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + BACKGROUND_STEPS);
  for (const id of threadsOf(pid)) {
    try {
      setPriority(id, priority);
    } catch {
      // ESRCH: it has ended. EACCES: the priority was as low before. Either way nothing is left to do.
    }
  }
}

/** On Linux each thread has a priority of its own, which those it starts inherit; elsewhere it is that of the process. */
function threadsOf(pid: number): readonly number[] {
  if (process.platform !== "linux") return [pid];
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return []; // ENOENT: the process has ended
  }
}

/**
 * Program and arguments to put before those of a child, so that it computes on half of this process's processors only and
 * the others stay free for the rest; empty where that cannot be had. Tried once, as findConfinement does.
 */
export async function findBackgroundPrefix(): Promise<readonly string[]> {
  const processors = process.platform === "linux" ? halfOf(allowedProcessors("/proc/self/status")) : [];
  const [taskset, cat] = [findProgram("taskset", PROGRAM_FOLDERS), findProgram("cat", PROGRAM_FOLDERS)];
  if (processors.length === 0 || taskset.kind === "missing" || cat.kind === "missing") return [];
  const prefix = [taskset.path, "-c", processors.join(",")];
  try {
    const [program = "", ...args] = [...prefix, cat.path, "/proc/self/status"];
    const { stdout } = await promisify(execFile)(program, args, { env: {}, cwd: "/", timeout: TRIAL_MS, killSignal: "SIGKILL" });
    return allowedIn(stdout).join(",") === processors.join(",") ? prefix : [];
  } catch {
    return []; // it may not be started here, or processors may not be chosen: then priority alone has to do
  }
}

/** Which half goes by the process id: several servers on one machine shall not all put theirs on the same. */
function halfOf(processors: readonly number[]): readonly number[] {
  const first = process.pid % Math.max(1, processors.length);
  const turned = [...processors.slice(first), ...processors.slice(0, first)];
  return turned.slice(0, Math.floor(processors.length / 2)).toSorted((a, b) => a - b);
}

function allowedProcessors(path: string): readonly number[] {
  try {
    return allowedIn(readFileSync(path, "latin1"));
  } catch {
    return []; // no /proc
  }
}

/** From a line such as `Cpus_allowed_list:	0-3,6`. */
function allowedIn(status: string): readonly number[] {
  const list = /^Cpus_allowed_list:\t(\S+)$/m.exec(status)?.[1] ?? "";
  return list.split(",").flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    return Number.isInteger(first) && last >= first ? Array.from({ length: last - first + 1 }, (_, n) => first + n) : [];
  });
}
