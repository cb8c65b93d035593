/**
 * Each guard of secrets, requests and the server is removed in a temporary copy of the sources: at least one test must then
 * fail. Prints the table and writes it as docs/evidence/security-guards.md, with the figures as .json.
 * TOOLYARD_GUARDS=name,name tries only these and writes nothing.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { SecurityGuard } from "../guards/guard.ts";
import { SECURITY_GUARDS } from "../guards/guards.ts";
import { type GuardBench, openGuardBench, type TestRun } from "../guards/run-without.ts";
import { writeEvidence } from "./evidence.ts";

test("without any one guard at least one test fails", async () => {
  const wanted = process.env.TOOLYARD_GUARDS?.split(",");
  const guards = SECURITY_GUARDS.filter(({ name }) => wanted === undefined || wanted.includes(name));
  const files = [...new Set(guards.flatMap(({ tests }) => tests))].sort();
  const unsteady = await failedWithAll(files);
  const runs = new Map<SecurityGuard, TestRun>();
  const waiting = [...guards];
  const work = async (): Promise<void> => {
    using bench: GuardBench = openGuardBench();
    for (let guard = waiting.shift(); guard !== undefined; guard = waiting.shift()) {
      const { ran, failed } = await bench.without(guard);
      const noticed = failed.filter((name) => !unsteady.has(name));
      runs.set(guard, { ran, failed: noticed });
      console.log(`${guard.name} -> ${noticed.length === 0 ? "NOT NOTICED" : noticed.join(" | ")} (${noticed.length} of ${ran})`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  const missed = guards.filter((guard) => runs.get(guard)?.failed.length === 0).map(({ name }) => name);
  if (wanted === undefined) {
    writePage(guards, runs);
    const tests = new Set([...runs.values()].flatMap(({ failed }) => failed)).size;
    const figures = { guards: guards.length, notNoticed: missed, testsThatFailed: tests, testFiles: files.length, unsteady: [...unsteady] };
    writeEvidence("security-guards", { ...figures, byGuard: byGuard(guards, runs) }, figures);
  }
  expect(missed).toEqual([]);
});

/**
 * Tests that failed with all guards in place: those count for no guard. One that fails twice is broken, and so is this run;
 * one that fails once held times against a busy machine.
 */
async function failedWithAll(files: readonly string[]): Promise<ReadonlySet<string>> {
  using bench = openGuardBench();
  const first = await bench.withAll(files);
  expect(first.ran, "tests with all guards").toBeGreaterThan(0);
  if (first.failed.length === 0) return new Set();
  const second = await bench.withAll(files);
  expect(
    second.failed.filter((name) => first.failed.includes(name)),
    "with all guards",
  ).toEqual([]);
  return new Set([...first.failed, ...second.failed]);
}

function byGuard(guards: readonly SecurityGuard[], runs: ReadonlyMap<SecurityGuard, TestRun>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(guards.map((guard) => [guard.name, runs.get(guard)?.failed ?? []]));
}

function writePage(guards: readonly SecurityGuard[], runs: ReadonlyMap<SecurityGuard, TestRun>): void {
  const folder = fileURLToPath(new URL("../../docs/evidence/", import.meta.url));
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${cpus().length} cores ${cpus()[0]?.model ?? ""}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const rows = guards.map((guard) => {
    const failed = runs.get(guard)?.failed ?? [];
    const [first = "NONE", ...others] = failed;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    const files = [...new Set(guard.changes.map(({ file }) => file))].join(", ");
    return `| ${[guard.name, guard.about, files, first + more].map(cell).join(" | ")} |`;
  });
  const page = [
    "# Guards of secrets and requests, removed one by one",
    "",
    `Made by the run: \`npm run test:long -- test/long/security-guards.test.ts\`, ${new Date().toISOString()}, commit ${commit}, ${machine}.`,
    "",
    `${guards.length} guards. Each was taken out of a copy of the sources; the last column is a test that failed then.`,
    "",
    "| guard | what it does | file | failing test |",
    "|---|---|---|---|",
    ...rows,
    "",
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}security-guards.md`, page.join("\n"));
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
