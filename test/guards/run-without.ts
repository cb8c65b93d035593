/** Runs tests in a temporary copy of the sources from which one guard was removed. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeGuard } from "../hostile/guards.ts";
import type { SecurityGuard } from "./guard.ts";

/** What a run gave: names of the tests that failed, and how many ran. `failed` holds no file that did not load, but a run that hung. */
export interface TestRun {
  readonly ran: number;
  readonly failed: readonly string[];
}

/** A copy that is used again and again. Disposing removes it. */
export interface GuardBench extends Disposable {
  /** Runs the guard's tests without it; its source is put back. */
  without(guard: SecurityGuard): Promise<TestRun>;
  /** Runs tests with every guard in place. */
  withAll(files: readonly string[]): Promise<TestRun>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Longest run for one guard, in milliseconds; what hangs without its guard is ended by the limit of its tests before. */
const RUN_MS = 120_000;

/** Longest run of all files, in milliseconds. */
const ALL_MS = 900_000;

/** A test that hangs without its guard ends after this. */
const TEST_MS = 20_000;

const COPIED = [
  "src",
  "test",
  "scripts",
  "examples",
  "docs",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
  "README.md",
  "SECURITY.md",
];

/** Makes a copy of the sources. */
export function openGuardBench(): GuardBench {
  const copy = mkdtempSync(join(tmpdir(), "toolyard-guards-"));
  for (const part of COPIED) cpSync(join(root, part), join(copy, part), { recursive: true });
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
  return {
    without: async (guard) => {
      // Not put back from the root: someone may be at work there, and the copy has to stay of one piece.
      const before = guard.changes.map(({ file }) => ({ path: join(copy, file), text: readFileSync(join(copy, file)) }));
      removeGuard(copy, guard);
      try {
        return await runTests(copy, guard.tests);
      } finally {
        for (const { path, text } of before) writeFileSync(path, text);
      }
    },
    withAll: (files) => runTests(copy, files, ALL_MS),
    [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }),
  };
}

interface VitestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

async function runTests(copy: string, files: readonly string[], limitMs = RUN_MS): Promise<TestRun> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    ...["unit", "security", "timed"].flatMap((name) => ["--project", name]),
  ];
  const args = [...vitest, "--reporter=json", `--outputFile=${report}`, `--testTimeout=${TEST_MS}`, "--maxWorkers=1", ...files];
  const [command = process.execPath, ...before] = [...closedNetwork(), process.execPath];
  const child = spawn(command, [...before, ...args], { cwd: copy, stdio: "ignore", detached: true });
  // Its whole group: a worker that waits in the system would stay.
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), limitMs);
  const signal = await new Promise((resolve) => {
    child.once("close", (_code, ended) => resolve(ended));
    child.once("error", () => resolve(undefined));
  });
  clearTimeout(timer);
  if (signal === "SIGKILL") return { ran: 0, failed: [`(the tests hang: ended after ${limitMs / 1_000} s)`] };
  const { testResults }: VitestReport = JSON.parse(readReport(report));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    ran: tests.filter(({ status }) => status === "passed" || status === "failed").length,
    failed: tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
  };
}

function readReport(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return '{"testResults":[]}'; // Nothing could be run; no test counts as failed.
  }
}

/**
 * A namespace of its own in which nothing but loopback exists, where the system allows it. The tests stub every other
 * address anyway; with a guard removed this is the second thing that keeps a packet on this machine.
 */
function closedNetwork(): readonly string[] {
  // As root without a mapping of users: with it, tests that give files to another user could not do so.
  const rights = process.geteuid?.() === 0 ? [] : ["--map-root-user"];
  const enter = ["unshare", ...rights, "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"'];
  const [command = "", ...args] = enter;
  return spawnSync(command, [...args, "true"]).status === 0 ? enter : [];
}
