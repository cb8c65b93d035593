import { readFileSync } from "node:fs";

/** Resident memory in MiB and CPU time since the start in milliseconds. */
export interface ProcessFigures {
  readonly rssMb: number;
  readonly cpuMs: number;
}

/** Clock ticks a second in /proc: USER_HZ, 100 on every Linux platform Node runs on (proc(5)). */
const TICKS_PER_SECOND = 100;

/** The figures of another process from Linux's /proc; undefined elsewhere, and once the process is gone. */
export function readProcessFigures(pid: number): ProcessFigures | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const rssKb = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    // The second field, the program's name, may hold spaces and brackets: the others count from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { rssMb: Number(rssKb ?? 0) / 1_024, cpuMs: (ticks * 1_000) / TICKS_PER_SECOND };
  } catch {
    // The process ended between two reads; its exit event tells that.
    return undefined;
  }
}
