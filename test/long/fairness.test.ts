import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { percentile, runSeed, seededRandom, writeEvidence } from "./evidence.ts";

const MINUTE_MS = 60_000;

test("beside a tool that runs into its time limit every second for a minute, all calls of another tool succeed", async () => {
  const root = makeFolder({
    "tools.json": {
      tools: [
        { name: "loop", description: "Loops", script: "scripts/loop.js", timeout: 0.5 },
        { name: "good", description: "Answers", script: "scripts/good.js" },
      ],
    },
    "scripts/loop.js": "async function main() { for (;;); }",
    "scripts/good.js": "async function main() { return 1 }",
  });
  const runtime = await openTestRuntime(root, makeHome());
  await runtime.run("good");
  const quiet = await timeCalls(5_000, () => runtime.run("good"));
  const loopCodes: Record<string, number> = {};
  const seed = runSeed();
  const random = seededRandom(seed);
  let next: NodeJS.Timeout | undefined;
  // About every second, so that the loops do not fall into step with anything.
  const loop = (): void => {
    next = setTimeout(loop, 900 + 200 * random());
    void runtime.run("loop").then((result) => {
      const code = result.kind === "error" ? result.code : "ok";
      loopCodes[code] = (loopCodes[code] ?? 0) + 1;
    });
  };
  loop();
  const beside = await timeCalls(MINUTE_MS, () => runtime.run("good"));
  clearTimeout(next);
  writeEvidence("fairness", {
    seed,
    calls: beside.durations.length,
    failed: beside.failed,
    loopCodes,
    quietP50Ms: percentile(quiet.durations, 0.5),
    quietP99Ms: percentile(quiet.durations, 0.99),
    p50Ms: percentile(beside.durations, 0.5),
    p99Ms: percentile(beside.durations, 0.99),
    maxMs: percentile(beside.durations, 1),
  });
  expect(beside.failed).toBe(0);
  expect(Object.keys(loopCodes).toSorted()).toEqual(["BUSY", "TIMEOUT"]);
});

async function timeCalls(forMs: number, call: () => Promise<{ readonly kind: string }>) {
  const durations: number[] = [];
  let failed = 0;
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const start = performance.now();
    if ((await call()).kind !== "ok") failed += 1;
    durations.push(performance.now() - start);
  }
  return { durations, failed };
}
