import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { findBackgroundPrefix, toBackground } from "./process-priority.ts";

test("every thread of a process in the background stands behind this one, and so do those it starts later", async () => {
  const child = spawn(process.execPath, [
    "-e",
    "process.stdin.on('data', () => { new Worker('1', { eval: true }).on('online', () => console.log('on')) }); console.log('up'); const { Worker } = require('node:worker_threads')",
  ]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  const lowest = Math.min(19, getPriority() + 5);
  const priorities = (): readonly number[] =>
    (process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]).map((id) => getPriority(id));
  expect(new Set(priorities())).toEqual(new Set([getPriority()]));
  toBackground(pid);
  child.stdin.write("start\n");
  await once(child.stdout, "data");
  expect(new Set(priorities())).toEqual(new Set([lowest]));
  toBackground(pid);
  expect(new Set(priorities())).toEqual(new Set([lowest]));
});

test("a process that is gone is no error", async () => {
  const child = spawn(process.execPath, ["-e", "0"]);
  await once(child, "exit");
  expect(() => toBackground(child.pid ?? 0)).not.toThrow();
});

/** Processors it may run on; availableParallelism also counts what a container may use of them. */
function processors(prefix: readonly string[] = []): number {
  const [program = "", ...args] = [...prefix, "nproc"];
  return Number(execFileSync(program, args, { encoding: "utf8" }));
}

test.runIf(process.platform === "linux")(
  "with the prefix a process has half of the processors, rounded down; with one there is none",
  async () => {
    const prefix = await findBackgroundPrefix();
    expect(prefix.slice(0, 2)).toEqual(processors() < 2 ? [] : [expect.stringMatching(/^\/.*\/taskset$/), "-c"]);
    if (prefix.length > 0) expect(processors(prefix)).toBe(Math.floor(processors() / 2));
  },
);
