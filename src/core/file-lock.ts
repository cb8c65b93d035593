/**
 * A lock between processes, for files that several of ours may write: a lock file made with "wx", holding process id and
 * a random token. A holder that was killed is noticed by its dead process id, or by age. The lock is advisory and can be
 * taken over from a holder that hangs, so whoever writes asks `isHeld()` right before it commits.
 */
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode, ToolError } from "./errors.ts";
import { newId } from "./ids.ts";

/** Longest wait and age of a lock. Both in milliseconds. */
export interface FileLockOptions {
  /** Default 5,000; then STORE_ERROR. */
  readonly waitMs?: number;
  /** A lock older than this is taken over even if its process lives. Default 10,000: no holder needs a tenth of that. */
  readonly staleMs?: number;
}

/** A lock file without readable content is a holder that died between two system calls; this long it may be a living one. */
const UNWRITTEN_MS = 2_000;

const POLL_MS = 20;

/** A lock that is held. Disposing gives it back. */
export class FileLock {
  readonly #path: string;
  readonly #token: string;

  constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
  }

  /** False once another process took it over. */
  isHeld(): boolean {
    return readHolder(this.#path)?.token === this.#token;
  }

  /** Makes the lock young again, for work that waits for others; false once another process took it over. */
  renew(): boolean {
    if (!this.isHeld()) return false;
    const now = new Date();
    try {
      utimesSync(this.#path, now, now);
    } catch (error) {
      throw storeError(`The lock ${this.#path} could not be renewed (${systemCode(error)}).`, error);
    }
    return this.isHeld();
  }

  [Symbol.dispose](): void {
    if (this.isHeld()) rmSync(this.#path, { force: true });
  }
}

/** Waits for the lock at `path`. Throws `ToolError` STORE_ERROR when the wait is over or the file cannot be made. */
export async function acquireFileLock(path: string, { waitMs = 5_000, staleMs = 10_000 }: FileLockOptions = {}): Promise<FileLock> {
  const token = newId();
  const deadline = performance.now() + waitMs;
  for (;;) {
    if (create(path, token)) return new FileLock(path, token);
    if (removeStale(path, staleMs)) continue;
    if (performance.now() >= deadline) {
      const holder = readHolder(path);
      throw new ToolError(
        "STORE_ERROR",
        `Another process${holder?.pid === undefined ? "" : ` (${holder.pid})`} holds the lock ${path} for more than ${waitMs / 1_000} s. Try again; if no toolyard process runs, delete that file.`,
        { audience: "operator" },
      );
    }
    // Uneven waits, so that several waiting processes do not keep step with each other.
    await delay(POLL_MS * (0.5 + Math.random()));
  }
}

interface Holder {
  readonly token: string | undefined;
  readonly pid: number | undefined;
  readonly host: string | undefined;
  readonly modifiedMs: number;
}

function create(path: string, token: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx", 0o600);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw storeError(`The lock ${path} could not be made (${systemCode(error)}). Check the folder's rights and free space.`, error);
  }
  try {
    writeFileSync(descriptor, JSON.stringify({ token, pid: process.pid, host: hostname() }));
  } catch (error) {
    // An empty lock would hold up the next writer for two seconds.
    rmSync(path, { force: true });
    throw storeError(`The lock ${path} could not be written (${systemCode(error)}). Check the folder's free space.`, error);
  } finally {
    closeSync(descriptor);
  }
  return true;
}

function readHolder(path: string): Holder | undefined {
  let text: string;
  let modifiedMs: number;
  try {
    modifiedMs = statSync(path).mtimeMs;
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw storeError(`The lock ${path} could not be read (${systemCode(error)}).`, error);
  }
  const match = /^\{"token":"([0-9a-v]{26})","pid":(\d{1,10}),"host":"([^"\\]*)"\}$/.exec(text);
  return { token: match?.[1], pid: match?.[2] === undefined ? undefined : Number(match[2]), host: match?.[3], modifiedMs };
}

function isStale(holder: Holder, staleMs: number): boolean {
  const ageMs = Date.now() - holder.modifiedMs;
  if (ageMs > staleMs) return true;
  if (holder.pid === undefined) return ageMs > UNWRITTEN_MS;
  // A process id means nothing on another machine or in another container that shares the folder.
  return holder.host === hostname() && !isAlive(holder.pid);
}

/** True if the lock is gone afterwards, so that the next try may succeed. */
function removeStale(path: string, staleMs: number): boolean {
  const seen = readHolder(path);
  if (seen === undefined) return true;
  if (!isStale(seen, staleMs)) return false;
  // Of two processes that see the same dead lock, the slower one must not delete what the faster one has just made:
  // only one at a time may delete, and only what it has looked at itself.
  const guard = `${path}.break`;
  if (!create(guard, newId())) {
    const other = readHolder(guard);
    if (other !== undefined && isStale(other, staleMs)) rmSync(guard, { force: true });
    return false;
  }
  try {
    const now = readHolder(path);
    if (now !== undefined && isStale(now, staleMs)) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return systemCode(error) === "EPERM";
  }
}

function storeError(message: string, cause?: unknown): ToolError {
  return new ToolError("STORE_ERROR", message, { cause, audience: "operator" });
}
