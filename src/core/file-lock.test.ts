import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempDisposableSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ToolError } from "./errors.ts";
import { acquireFileLock } from "./file-lock.ts";

const TOKEN = "0123456789abcdefghijklmnop";

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(child, "exit");
  if (child.pid === undefined) throw new Error("no process was started");
  return child.pid;
}

test("a second holder waits until the first gives the lock back", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  const order: string[] = [];
  const first = await acquireFileLock(path);
  const second = acquireFileLock(path).then((lock) => {
    order.push("second");
    lock[Symbol.dispose]();
  });
  order.push("first");
  first[Symbol.dispose]();
  await second;
  expect(order).toEqual(["first", "second"]);
  expect(existsSync(path)).toBe(false);
});

test("a lock that is not given back ends the wait with STORE_ERROR naming the process", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  using _held = await acquireFileLock(path);
  const error = await acquireFileLock(path, { waitMs: 60 }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "STORE_ERROR", audience: "operator" });
  expect(error instanceof ToolError && error.message.includes(`(${process.pid})`)).toBe(true);
});

test("the lock of a process that was killed is taken over at once", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  writeFileSync(path, JSON.stringify({ token: TOKEN, pid: await deadPid(), host: hostname() }));
  using lock = await acquireFileLock(path, { waitMs: 100 });
  expect(lock.isHeld()).toBe(true);
});

test("a process id of another machine says nothing about its holder", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  writeFileSync(path, JSON.stringify({ token: TOKEN, pid: await deadPid(), host: "another-machine" }));
  await expect(acquireFileLock(path, { waitMs: 60 })).rejects.toMatchObject({ code: "STORE_ERROR" });
});

test("an old lock is taken over although its process lives, and the holder notices", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  const hanging = await acquireFileLock(path);
  const elevenSecondsAgo = Date.now() / 1_000 - 11;
  utimesSync(path, elevenSecondsAgo, elevenSecondsAgo);
  using taker = await acquireFileLock(path, { waitMs: 100 });
  expect([hanging.isHeld(), taker.isHeld()]).toEqual([false, true]);
  // Giving back what is not held any more must not free the other's lock.
  hanging[Symbol.dispose]();
  expect(taker.isHeld()).toBe(true);
});

test("a lock file that was never written is taken over after two seconds, not before", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  writeFileSync(path, "");
  await expect(acquireFileLock(path, { waitMs: 60 })).rejects.toMatchObject({ code: "STORE_ERROR" });
  const threeSecondsAgo = Date.now() / 1_000 - 3;
  utimesSync(path, threeSecondsAgo, threeSecondsAgo);
  using lock = await acquireFileLock(path, { waitMs: 100 });
  expect(lock.isHeld()).toBe(true);
});

test("of many that take over one dead lock at once, one at a time holds it", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  writeFileSync(path, JSON.stringify({ token: TOKEN, pid: await deadPid(), host: hostname() }));
  let inside = 0;
  let most = 0;
  const takers = Array.from({ length: 20 }, async () => {
    using _lock = await acquireFileLock(path);
    inside++;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside--;
  });
  await Promise.all(takers);
  expect(most).toBe(1);
});

test("a folder that cannot be written to is said at once", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  await expect(acquireFileLock(join(folder.path, "absent", "lock"))).rejects.toMatchObject({ code: "STORE_ERROR" });
});

test("the lock file holds process id and token and nothing else", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  using _lock = await acquireFileLock(path);
  expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual(["token", "pid", "host"]);
});

test("a lock that is renewed is young again; one that was taken over is not renewed", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lock-"));
  const path = join(folder.path, "lock");
  using lock = await acquireFileLock(path);
  const old = new Date(Date.now() - 60_000);
  utimesSync(path, old, old);
  expect(lock.renew()).toBe(true);
  await expect(acquireFileLock(path, { waitMs: 40 })).rejects.toMatchObject({ code: "STORE_ERROR" });
  const other = JSON.stringify({ token: TOKEN, pid: process.pid, host: hostname() });
  writeFileSync(path, other);
  expect([lock.renew(), readFileSync(path, "utf8")]).toEqual([false, other]);
});
