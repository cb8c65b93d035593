// What a long run measured, kept as docs/evidence/<name>.json with date, commit, machine and seed.
import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

/** The seed of this run: TOOLYARD_SEED, else a new one; printed, so that a failure can be repeated. */
export function runSeed(): number {
  const given = process.env.TOOLYARD_SEED;
  const seed = given === undefined ? randomInt(2 ** 31) : Number.parseInt(given, 10);
  console.log(`seed ${seed} (repeat with TOOLYARD_SEED=${seed})`);
  return seed;
}

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes the evidence file of one run and prints its figures, or `printed` in their place. */
export function writeEvidence(name: string, figures: Readonly<Record<string, unknown>>, printed: object = figures): void {
  const folder = fileURLToPath(new URL("../../docs/evidence/", import.meta.url));
  const cores = cpus();
  const evidence = {
    date: new Date().toISOString(),
    commit: execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim(),
    machine: `${cores.length} cores ${cores[0]?.model ?? ""}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
    ...figures,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify(evidence, null, 2)}\n`);
  console.log(`${name}: ${JSON.stringify(printed)}`);
}

/** Value at a share (0 to 1) of sorted figures. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) * 1000) / 1000;
}
