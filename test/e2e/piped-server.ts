/**
 * The installed command over stdio on named pipes that the test holds: unlike those of child_process they stay open when the
 * process between dies, and the test decides when the reader stops reading or goes away.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import { findInSession, processesOfSession } from "../support/processes.ts";
import type { CliBench } from "./cli-process.ts";
import { compileCache } from "./compile-cache.ts";

/** A running server, its parent, and the test's ends of its pipes. */
export interface PipedServer {
  /** The process that started the server; it does nothing else. */
  readonly parent: ChildProcess;
  /** Every line of stdout so far, while it is read. */
  readonly lines: readonly string[];
  /** All of stderr so far. */
  readonly stderr: () => string;
  send(...messages: readonly (object | string)[]): void;
  /** Closes the only writing end of its stdin. */
  endStdin(): void;
  /** Closes the only reading end of its stdout. */
  destroyReader(): void;
  /** Process id of the server itself. */
  pid(): number;
  /** Parent, server and sandbox hosts that are alive. */
  processes(): readonly number[];
}

/** How the pipes are used. */
export interface PipedOptions {
  /** Whether the test reads the server's stdout, or only holds it open. Default "all". */
  readonly reads?: "all" | "nothing";
  readonly env?: Readonly<Record<string, string>>;
}

const PARENT = `require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: "inherit" });
  setInterval(() => undefined, 1_000_000);`;

/** Starts a parent that starts `toolyard serve` in the folder of the bench. */
export function startPiped(cli: string, bench: CliBench, { reads = "all", env = {} }: PipedOptions = {}): PipedServer {
  const [inPipe, outPipe] = [join(bench.home, "..", "stdin"), join(bench.home, "..", "stdout")];
  execFileSync("mkfifo", [inPipe, outPipe]);
  // A pipe without a reader cannot be opened for writing, so the reader comes first, without waiting for a writer.
  const stdinRead = openSync(inPipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const stdin = closeOnce(openSync(inPipe, constants.O_WRONLY));
  const reader = new Socket({ fd: openSync(outPipe, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
  const stdoutWrite = openSync(outPipe, constants.O_WRONLY);
  const parent = spawn(process.execPath, ["-e", PARENT, cli, "serve"], {
    cwd: bench.folder,
    env: { PATH: process.env.PATH ?? "", HOME: join(bench.home, ".."), TOOLYARD_HOME: bench.home, ...compileCache(cli), ...env },
    stdio: [stdinRead, stdoutWrite, "pipe"],
    detached: true,
  });
  closeSync(stdinRead);
  closeSync(stdoutWrite);
  const session = parent.pid;
  if (session === undefined) throw new Error("the parent did not start");
  onTestFinished(() => {
    for (const pid of processesOfSession(session)) process.kill(pid, "SIGKILL");
    reader.destroy();
    stdin.close();
  });
  const lines: string[] = [];
  if (reads === "all") createInterface({ input: reader }).on("line", (line) => lines.push(line));
  let errors = "";
  parent.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return {
    parent,
    lines,
    stderr: () => errors,
    send: (...messages) => {
      for (const message of messages) writeSync(stdin.fd, typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
    },
    endStdin: () => stdin.close(),
    destroyReader: () => reader.destroy(),
    pid: () => {
      const [pid] = findInSession(session, `${cli}\0serve`).filter((found) => found !== session);
      if (pid === undefined) throw new Error("the server is not there");
      return pid;
    },
    processes: () => processesOfSession(session),
  };
}

/** Waits until a condition holds, for what has no event. */
export async function until(isSo: () => boolean, withinMs: number): Promise<void> {
  await expect.poll(isSo, { timeout: withinMs, interval: 20 }).toBe(true);
}

function closeOnce(fd: number): { readonly fd: number; close(): void } {
  let isOpen = true;
  return {
    fd,
    close: () => {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
