import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Log, silentLog } from "../core/log.ts";
import type { UsedSecret } from "./call-secrets.ts";
import { openUsageNotes, readUsage, type UsageNotes, usageKey } from "./usage-store.ts";

const API: UsedSecret = { scope: { kind: "workspace", id: "0123456789abcdefghijklmnop" }, name: "API_KEY" };
const TEAM: UsedSecret = { scope: { kind: "global" }, name: "API_KEY" };

/** A server with a clock and timers that stand still until the test moves them. */
interface Server {
  readonly notes: UsageNotes;
  readonly clock: { nowMs: number };
  /** What was put off, with the time it is due. */
  readonly due: { readonly atMs: number; readonly work: () => void }[];
  readonly warnings: string[];
}

function homeFolder(): string {
  const home = mkdtempSync(join(tmpdir(), "usage-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function server(home: string, clock = { nowMs: 1_000_000 }): Server {
  const due: Server["due"] = [];
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (event) => void warnings.push(event) };
  const notes = openUsageNotes({
    ...{ home, log, now: () => clock.nowMs },
    later: (work, afterMs) => {
      const one = { atMs: clock.nowMs + afterMs, work };
      due.push(one);
      return () => void due.splice(due.indexOf(one), 1);
    },
  });
  return { notes, clock, due, warnings };
}

/** Moves the clock and runs what became due; settles when it is written, which disposing waits for. */
function advance({ clock, due }: Server, toMs: number): void {
  clock.nowMs = toMs;
  for (const one of due.filter(({ atMs }) => atMs <= toMs)) {
    due.splice(due.indexOf(one), 1);
    one.work();
  }
}

async function written(home: string, isThere: () => boolean): Promise<void> {
  await expect.poll(isThere, { timeout: 5_000, interval: 5 }).toBe(true);
  expect(statSync(join(home, "usage.json")).mode & 0o777).toBe(0o600);
}

test("the first use is written at once, later ones at most once a minute, the rest at the end", async () => {
  const home = homeFolder();
  const one = server(home);
  one.notes.used([API]);
  expect(one.due.map(({ atMs }) => atMs)).toEqual([1_000_000]);
  advance(one, 1_000_000);
  await written(home, () => readUsage(home).get(usageKey(API)) === 1_000_000);
  for (const atMs of [1_000_500, 1_020_000, 1_059_999]) {
    one.clock.nowMs = atMs;
    one.notes.used([API, TEAM]);
  }
  // Three uses, one write, a minute after the one before.
  expect(one.due.map(({ atMs }) => atMs)).toEqual([1_060_000]);
  expect(readUsage(home)).toEqual(new Map([[usageKey(API), 1_000_000]]));
  advance(one, 1_060_000);
  await written(home, () => readUsage(home).get(usageKey(TEAM)) === 1_059_999);
  one.clock.nowMs = 1_070_000;
  one.notes.used([TEAM]);
  await one.notes[Symbol.asyncDispose]();
  expect(one.due).toEqual([]);
  expect(readUsage(home)).toEqual(
    new Map([
      [usageKey(TEAM), 1_070_000],
      [usageKey(API), 1_059_999],
    ]),
  );
});

test("two servers keep each other's uses, and the later of two for the same secret", async () => {
  const home = homeFolder();
  const [one, two] = [server(home, { nowMs: 5_000 }), server(home, { nowMs: 4_000 })];
  one.notes.used([API]);
  two.notes.used([API, TEAM]);
  await Promise.all([one.notes[Symbol.asyncDispose](), two.notes[Symbol.asyncDispose]()]);
  expect([...readUsage(home).values()].sort()).toEqual([4_000, 5_000]);
  expect(readUsage(home).get(usageKey(API))).toBe(5_000);
});

test("a server that is killed loses what it had not written, and nothing else", async () => {
  const home = homeFolder();
  const one = server(home);
  one.notes.used([API]);
  advance(one, 1_000_000);
  await written(home, () => readUsage(home).size === 1);
  one.clock.nowMs = 1_030_000;
  one.notes.used([TEAM]);
  // Killed here: its lock and its half-written file stay behind.
  writeFileSync(join(home, "usage.json.lock"), "", { mode: 0o600 });
  writeFileSync(join(home, `usage.json.${"0".repeat(26)}.tmp`), '{"vers', { mode: 0o600 });
  expect(readUsage(home)).toEqual(new Map([[usageKey(API), 1_000_000]]));
});

test("a broken file is written anew, one that cannot be written is told once and stops nothing", async () => {
  for (const text of ["", "{", '{"version":2,"used":{}}', '{"version":1,"used":{"global A":"x"}}', "\uffff"]) {
    const home = homeFolder();
    writeFileSync(join(home, "usage.json"), text, { mode: 0o600 });
    expect(readUsage(home), text).toEqual(new Map());
    const one = server(home);
    one.notes.used([TEAM]);
    await one.notes[Symbol.asyncDispose]();
    expect(readFileSync(join(home, "usage.json"), "utf8"), text).toBe(
      `${JSON.stringify({ version: 1, used: { "global API_KEY": 1_000_000 } }, null, 2)}\n`,
    );
  }
  const home = homeFolder();
  mkdirSync(join(home, "usage.json"));
  const one = server(home);
  one.notes.used([TEAM]);
  await one.notes[Symbol.asyncDispose]();
  expect(one.warnings).toEqual(["secrets.usage.notWritten"]);
  expect(readUsage(home)).toEqual(new Map());
});

test("a process that used no secret leaves no file", async () => {
  const home = homeFolder();
  const one = server(home);
  one.notes.used([]);
  await one.notes[Symbol.asyncDispose]();
  expect(() => statSync(join(home, "usage.json"))).toThrow("ENOENT");
});
