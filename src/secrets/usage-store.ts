/**
 * When each secret was last sent, for `secrets list`: `usage.json` in toolyard's folder. Each process notes uses in memory
 * and writes at most once a minute and at its end; one that ends soon, as `run` does, would lose its use otherwise. Nothing here
 * ever fails a call: what cannot be read or written is lost.
 */
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../core/errors.ts";
import { acquireFileLock } from "../core/file-lock.ts";
import type { Log } from "../core/log.ts";
import { readPrivateFile, removeLeftovers, replacePrivateFile } from "../core/private-file.ts";
import type { UsedSecret } from "./call-secrets.ts";
import { itemKey } from "./vault-file.ts";

/** Least time between two writes of one process, in milliseconds (issue 5). */
const WRITE_EVERY_MS = 60_000;

/** Longest wait for the file's lock, in milliseconds: a server that ends has 1.5 s in all. */
const LOCK_WAIT_MS = 500;

/** Name of the file in toolyard's folder. */
const USAGE_FILE_NAME = "usage.json";

const MAX_USAGE_BYTES = 1_048_576;

/** Most secrets in the file; of more, those used longest ago are forgotten. About half of what the file may hold. */
const MAX_ENTRIES = 5_000;

const FILE = z.strictObject({ version: z.literal(1), used: z.record(z.string().max(200), z.number().int().nonnegative()) });

/** When each secret was last sent, in milliseconds since 1970, by {@link usageKey}. */
export type LastUsed = ReadonlyMap<string, number>;

/** Notes uses. Disposing writes what is left. */
export interface UsageNotes extends AsyncDisposable {
  /** Notes that these are being sent now. Never throws and waits for nothing. */
  used(secrets: readonly UsedSecret[]): void;
}

/** What the notes need. */
export interface UsageOptions {
  /** Toolyard's own folder. */
  readonly home: string;
  readonly log: Log;
  /** Milliseconds since 1970. For tests. */
  readonly now?: () => number;
  /** Runs work once after so many milliseconds; gives what stops it. For tests; default a timer that keeps no process alive. */
  readonly later?: (work: () => void, afterMs: number) => () => void;
}

/** A secret's name in the file. */
export function usageKey({ scope, name }: UsedSecret): string {
  return itemKey(scope, name);
}

/** What the file says; empty where there is none or it cannot be used. */
export function readUsage(home: string): LastUsed {
  try {
    return readFile(join(home, USAGE_FILE_NAME));
  } catch {
    // Nothing depends on it, and the next write replaces it.
    return new Map();
  }
}

/** Begins to note uses. */
export function openUsageNotes({ home, log, now = Date.now, later = onTimer }: UsageOptions): UsageNotes {
  const path = join(home, USAGE_FILE_NAME);
  let waiting = new Map<string, number>();
  let lastWriteMs: number | undefined;
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const noted = waiting;
    if (noted.size === 0) return;
    waiting = new Map();
    try {
      await addToFile(path, noted);
    } catch (error) {
      log.warn("secrets.usage.notWritten", { reason: messageOf(error) });
    }
  };
  const startWrite = (): void => {
    stop = undefined;
    lastWriteMs = now();
    writing = writing.then(write);
  };
  return {
    used(secrets) {
      const nowMs = now();
      for (const secret of secrets) waiting.set(usageKey(secret), nowMs);
      if (stop !== undefined || secrets.length === 0) return;
      const sinceMs = lastWriteMs === undefined ? WRITE_EVERY_MS : nowMs - lastWriteMs;
      // A clock that was set back must not put the next write off for long.
      stop = later(startWrite, Math.min(WRITE_EVERY_MS, Math.max(0, WRITE_EVERY_MS - sinceMs)));
    },
    async [Symbol.asyncDispose]() {
      stop?.();
      startWrite();
      await writing;
    },
  };
}

function onTimer(work: () => void, afterMs: number): () => void {
  const timer = setTimeout(work, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}

async function addToFile(path: string, noted: LastUsed): Promise<void> {
  using lock = await acquireFileLock(`${path}.lock`, { waitMs: LOCK_WAIT_MS });
  removeLeftovers(path);
  const merged = new Map(readOrNothing(path));
  // Another server may have noted a later use.
  for (const [key, atMs] of noted) merged.set(key, Math.max(atMs, merged.get(key) ?? 0));
  const latest = [...merged].sort(([, a], [, b]) => b - a).slice(0, MAX_ENTRIES);
  const text = `${JSON.stringify({ version: 1, used: Object.fromEntries(latest.sort(([a], [b]) => (a < b ? -1 : 1))) }, null, 2)}\n`;
  if (lock.isHeld()) replacePrivateFile(path, text, { backup: "none" });
}

function readOrNothing(path: string): LastUsed {
  try {
    return readFile(path);
  } catch {
    return new Map(); // Broken, or of a later version: written anew, since it holds nothing that anything depends on.
  }
}

function readFile(path: string): LastUsed {
  const file = readPrivateFile(path, MAX_USAGE_BYTES);
  return file === undefined ? new Map() : new Map(Object.entries(FILE.parse(JSON.parse(file.text)).used));
}
