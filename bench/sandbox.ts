/**
 * `npm run bench -- sandbox`: one call of the same scripts in our sandbox, in both modes, and in other ways to run a script.
 * Writes docs/evidence/bench-sandbox.json and the section of docs/performance.md between its marks.
 */
import { loadavg } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { percentile, writeEvidence } from "../test/long/evidence.ts";
import { fetchDeno, nodeProcess, workerThread } from "./sandbox-process-ways.ts";
import { type Cell, type Figures, LEVELS, type Level, type Row, report, verdicts } from "./sandbox-report.ts";
import { type BenchScript, scripts } from "./sandbox-scripts.ts";
import { bareIsolate, type OpenWay, ours, ownRealm, quickJs, type Way } from "./sandbox-ways.ts";

/** Interleaved, so that what else the machine does hits all alike; of the rounds the median counts. */
const ROUNDS = 3;
const WARM_MS = 1_000;
const WARM_AT_ONCE = 8;
const CELL_MS = 800;

await main();

async function main(): Promise<void> {
  const loadBefore = loadavg().map((load) => Number(load.toFixed(2)));
  using deno = await fetchDeno();
  const ways = [ours("tool"), ours("call"), bareIsolate, ownRealm, nodeProcess, workerThread, quickJs("context"), quickJs("runtime")];
  const rows: Row[] = [];
  for (const script of scripts) {
    const running = [...ways, ...(deno === undefined ? [] : [deno])].slice(0, script.isOursOnly ? 2 : undefined);
    rows.push(...(await measureScript(script, running)));
  }
  const requirements = verdicts(rows);
  const settings = { rounds: ROUNDS, warmMs: WARM_MS, cellMs: CELL_MS, median: "over the rounds" };
  writeEvidence("bench-sandbox", { loadAverageBefore: loadBefore, settings, requirements, rows }, { loadAverageBefore: loadBefore });
  report(rows, requirements, { loadBefore, rounds: ROUNDS, lacksDeno: deno === undefined });
}

async function measureScript(script: BenchScript, ways: readonly Way[]): Promise<readonly Row[]> {
  const cells = new Map(ways.map(({ name }) => [name, new Map(LEVELS.map((level): [Level, Figures[]] => [level, []]))]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      console.error(`${script.name}: ${way.name}, round ${round + 1}`);
      const open = await way.open(script);
      const answer = await open.call();
      if (!isDeepStrictEqual(answer, script.answer)) throw new Error(`${way.name} answered ${JSON.stringify(answer).slice(0, 200)}`);
      await keepCalling(open, WARM_AT_ONCE, WARM_MS);
      for (const level of LEVELS)
        cells
          .get(way.name)
          ?.get(level)
          ?.push(await keepCalling(open, level, CELL_MS));
      await open.close?.();
    }
  }
  return ways.map(({ name }): Row => {
    const levels = [...(cells.get(name) ?? [])].map(([atOnce, figures]): Cell => ({ atOnce, ...medianOf(figures) }));
    return { script: script.name, way: name, cells: levels };
  });
}

/** So many callers, each with its next call as soon as it has the answer to the last. */
async function keepCalling(open: OpenWay, callers: number, forMs: number): Promise<Figures> {
  const durationsMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + forMs;
  const caller = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const sinceMs = performance.now();
      await open.call();
      durationsMs.push(performance.now() - sinceMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const perSecond = (durationsMs.length * 1_000) / (performance.now() - startMs);
  return { p50Ms: percentile(durationsMs, 0.5), p99Ms: percentile(durationsMs, 0.99), perSecond, calls: durationsMs.length };
}

function medianOf(figures: readonly Figures[]): Figures {
  const median = (pick: (one: Figures) => number): number => percentile(figures.map(pick), 0.5);
  return {
    p50Ms: median(({ p50Ms }) => p50Ms),
    p99Ms: median(({ p99Ms }) => p99Ms),
    perSecond: Math.round(median(({ perSecond }) => perSecond) * 10) / 10,
    calls: figures.reduce((sum, { calls }) => sum + calls, 0),
  };
}
