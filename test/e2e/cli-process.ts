/** The command as users start it: a process of its own, with a home folder of its own and nothing of ours in its environment. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { compileCache } from "./compile-cache.ts";

/** A folder for one test, with the command to run in it; disposing removes it. */
export interface CliBench extends Disposable {
  readonly folder: string;
  readonly home: string;
  /** Writes files below the folder; objects become JSON. */
  write(files: Readonly<Record<string, string | object>>): void;
  run(args: readonly string[], options?: RunOptions): Promise<CliRun>;
  start(args: readonly string[], options?: RunOptions): CliChild;
}

/** A running command. */
export type CliChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** How to run it. */
export interface RunOptions {
  /** Text for stdin; default: it is closed at once. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the bench's folder. */
  readonly cwd?: string;
}

/** How it ended. */
export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that does not end by itself is killed after this many milliseconds, so that a test of it leaves nothing running. */
const RUN_LIMIT_MS = 50_000;

/** Makes a bench for the command at `cli`, run by the Node of this process. */
export function makeBench(cli: string): CliBench {
  const base = mkdtempSync(join(tmpdir(), "toolyard-cli-"));
  const folder = join(base, "folder");
  const home = join(base, "home");
  mkdirSync(folder);
  const start = (args: readonly string[], { env, cwd = folder }: RunOptions = {}, limit: { readonly timeout?: number } = {}): CliChild =>
    spawn(process.execPath, [cli, ...args], {
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: base, TOOLYARD_HOME: home, ...compileCache(cli), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      killSignal: "SIGKILL",
      ...limit,
    });
  return {
    folder,
    home,
    start: (args, options) => start(args, options),
    write: (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
      }
    },
    run: async (args, options) => {
      const child = start(args, options, { timeout: RUN_LIMIT_MS });
      child.stdin.on("error", () => undefined);
      child.stdin.end(options?.input ?? "");
      return finished(child);
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Collects what the command writes until it ends. */
export async function finished(child: CliChild): Promise<CliRun> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  return { code: typeof code === "number" ? code : null, stdout, stderr };
}

/** Process ids of the children of a process (Linux only). */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const { readFile, readdir } = await import("node:fs/promises");
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8")));
  return lists.flatMap((list) =>
    list
      .split(" ")
      .filter((word) => word !== "")
      .map(Number),
  );
}

/** True while a process of that id is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH: gone
  }
}
