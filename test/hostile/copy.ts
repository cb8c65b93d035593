/** The driver in a child process, against a temporary copy of the sources without one guard. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Seen } from "./attack.ts";
import { type Guard, removeGuard } from "./guards.ts";
import { type Mode, readOwnScript } from "./own-scripts.ts";

/** One script in one mode. */
export interface Task {
  readonly file: string;
  readonly mode: Mode;
}

/** Exit code of the driver when scripts that attack nothing fail in its sources. */
export const CONTROL_FAILED = 3;

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What the driver itself needs at most beside the limits of a script's calls, in milliseconds; past it the driver hangs. */
const DRIVER_MS = 60_000;

/**
 * What each script gives without the guard, or with all of them (undefined); in the order of the tasks. A script that
 * ended or blocked the server's own process gets an outcome that says so. Nothing of the child or the copy is left.
 */
export async function runInCopy(guard: Guard | undefined, tasks: readonly Task[]): Promise<readonly Seen[]> {
  const copy = mkdtempSync(join(tmpdir(), "toolyard-guard-"));
  try {
    for (const part of ["src", "test/hostile", "test/support", "package.json"]) cpSync(join(root, part), join(copy, part), { recursive: true });
    linkPackages(join(root, "node_modules"), join(copy, "node_modules"));
    if (guard !== undefined) removeGuard(copy, guard);
    const seen: Seen[] = [];
    while (seen.length < tasks.length) {
      const more = await runDriver(copy, tasks.slice(seen.length));
      seen.push(...more.seen);
      if (seen.length === 0 && more.end === endedBy(CONTROL_FAILED, null)) throw new Error(`Well-behaved scripts fail without guard "${guard?.name}".`);
      const culprit = tasks[seen.length];
      if (culprit !== undefined) seen.push({ ...culprit, outcome: more.end, isInTime: false, isMemoryHeld: true, nextCall: null, isQuiet: false });
    }
    return seen;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Each package by itself: the hosts may read theirs and not the folder they lie in. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) if (!name.startsWith(".")) symlinkSync(join(from, name), join(to, name));
}

/** The answers until the driver is done, dies or hangs; `end` says which. */
async function runDriver(copy: string, tasks: readonly Task[]): Promise<{ readonly seen: readonly Seen[]; readonly end: string }> {
  const child = spawn(process.execPath, [join(copy, "test/hostile/driver.ts")], { cwd: copy, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<string>((resolve) => {
    child.once("close", (code, signal) => resolve(endedBy(code, signal)));
  });
  child.stdin.end(JSON.stringify(tasks));
  const seen: Seen[] = [];
  let hung = false;
  const arm = (): NodeJS.Timeout | undefined => {
    const task = tasks[seen.length];
    return task === undefined ? undefined : setTimeout(() => (hung = endDriver(child)), patienceMs(task));
  };
  let timer = arm();
  for await (const line of createInterface({ input: child.stdout })) {
    // The driver writes nothing but Seen.
    const each: Seen = JSON.parse(line);
    seen.push(each);
    clearTimeout(timer);
    timer = arm();
  }
  const end = await exited;
  clearTimeout(timer);
  return { seen, end: hung ? "the server hung" : end };
}

function endedBy(code: number | null, signal: NodeJS.Signals | null): string {
  return `the server ended (${signal ?? code})`;
}

/** Hosts end themselves when their server is gone. */
function endDriver(child: ChildProcess): true {
  child.kill("SIGKILL");
  return true;
}

function patienceMs({ file }: Task): number {
  return 2 * readOwnScript(file).limitMs + DRIVER_MS;
}
