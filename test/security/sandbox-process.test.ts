/** The process a script runs in: what it may do by itself, and that it never outlives its server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { hostCommand, launchHost } from "../../src/sandbox/host-launch.ts";
import { eventually, isAlive } from "../support/sandbox-call.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/sandbox/${name}`, import.meta.url));
const probe = fixture("probe-host.mjs");

async function reportOf(args: readonly string[]): Promise<unknown> {
  const { child, pipe } = launchHost({ program: process.execPath, args });
  let text = "";
  pipe.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const closed = once(pipe, "close");
  await once(child, "exit");
  await closed;
  return JSON.parse(text);
}

test("a host's process has no environment, no arguments, and no access to files, programs or threads", async () => {
  const unguarded = await reportOf([probe]);
  const open = { read: "possible", list: "possible", write: "possible", spawn: "possible", worker: "possible" };
  expect(unguarded).toEqual({ ...open, environment: [], argumentCount: 2 });
  const { args } = hostCommand();
  const flags = args.slice(0, -1);
  expect(flags.every((flag) => flag.startsWith("--"))).toBe(true);
  const denied = "ERR_ACCESS_DENIED";
  const guarded = await reportOf([...flags, `--allow-fs-read=${probe}`, probe]);
  const closed = { read: denied, list: denied, write: denied, spawn: denied, worker: denied };
  expect(guarded).toEqual({ ...closed, environment: [], argumentCount: 2 });
});

test("a host may read its own folder, the native library and three single files, nothing above them", () => {
  const { args } = hostCommand();
  const program = args.at(-1) ?? "";
  expect(program).toMatch(/[\\/]sandbox[\\/]host\.js$/);
  const reads = args.filter((flag) => flag.startsWith("--allow-fs-read=")).map((flag) => flag.slice("--allow-fs-read=".length));
  const root = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));
  expect(reads).toEqual([
    `${dirname(program)}/`,
    `${root}/node_modules/isolated-vm/`,
    `${root}/node_modules/node-gyp-build/`,
    `${root}/package.json`,
    "/etc/alpine-release",
  ]);
});

/** A server with a script that loops and one that waits, in a process of its own; and the processes it has. */
async function startServer(): Promise<{ readonly server: ChildProcess; readonly pids: readonly number[] }> {
  const server = spawn(process.execPath, [fixture("parent.ts")], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    server.kill("SIGKILL");
  });
  const [bytes] = await once(server.stdout, "data");
  const pids: readonly number[] = JSON.parse(String(bytes));
  return { server, pids };
}

test("when the server is killed its hosts end by themselves, also while a script computes", async () => {
  const { server, pids } = await startServer();
  expect(pids).toHaveLength(2);
  expect(pids.every(isAlive)).toBe(true);
  server.kill("SIGKILL");
  await once(server, "exit");
  for (const pid of pids) await eventually(`host ${pid} is gone`, 2_000, () => !isAlive(pid));
});
