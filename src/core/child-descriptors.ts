import type { IOType } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** What a descriptor of a child is: a pipe, a channel, nothing, or the descriptor of this process with that number. */
export type ChildDescriptor = IOType | "ipc" | number;

/** O_CLOEXEC in the flags of proc_pid_fdinfo(5), on the platforms Node has programs for. */
const CLOSED_FOR_PROGRAMS = 0o2000000;

/** A number no process gets without having asked for more descriptors than any needs; an array as long is made for it. */
const HIGHEST = 65_536;

/**
 * Starts a child with these descriptors and no other. Node keeps its own from children, but not all of those that whoever
 * started this process had left open: they are covered by empty ones. Only Linux tells which; elsewhere nothing is covered.
 * `start` must start the child before it returns.
 */
export function withoutInherited<Started>(own: readonly ChildDescriptor[], start: (stdio: ChildDescriptor[]) => Started): Started {
  const others = inheritable().filter((descriptor) => descriptor >= own.length && descriptor <= HIGHEST);
  if (others.length === 0) return start([...own]);
  const nothing = openSync("/dev/null", "r");
  try {
    // "ignore" leaves a descriptor above 2 as it is, which is closed for programs.
    const stdio: ChildDescriptor[] = [...own, ...Array.from({ length: Math.max(...others) + 1 - own.length }, () => "ignore" as const)];
    for (const descriptor of others) stdio[descriptor] = nothing;
    return start(stdio);
  } finally {
    closeSync(nothing);
  }
}

/** Descriptors of this process that a program started by it would have. */
function inheritable(): readonly number[] {
  if (process.platform !== "linux") return [];
  return descriptors().filter((descriptor) => {
    try {
      const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_FOR_PROGRAMS) === 0;
    } catch {
      return false; // it was closed meanwhile, as is the one by which the folder was listed
    }
  });
}

function descriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return []; // no /proc: nothing can be told
  }
}
