import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { percentile, runSeed, seededRandom, writeEvidence } from "./evidence.ts";

const MINUTE_MS = 60_000;

// One tool is soon answered BUSY for its strikes; thirty that take turns keep the hosts dying for the whole minute.
test.each([
  { name: "fairness", loops: 1, codes: ["BUSY", "TIMEOUT"] },
  { name: "fairness-many", loops: 30, codes: ["TIMEOUT"] },
])(
  "beside $loops tool(s) that run into their time limit every second for a minute, all calls of another tool succeed",
  async ({ name, loops, codes }) => {
    const root = makeFolder({
      "tools.json": {
        tools: [
          ...Array.from({ length: loops }, (_, n) => ({
            name: `loop-${n}`,
            description: "Loops",
            script: "scripts/loop.js",
            timeout: 0.5,
          })),
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
    let turn = 0;
    // About every second, so that the loops do not fall into step with anything.
    const loop = (): void => {
      next = setTimeout(loop, 900 + 200 * random());
      void runtime.run(`loop-${turn++ % loops}`).then((result) => {
        const code = result.kind === "error" ? result.code : "ok";
        loopCodes[code] = (loopCodes[code] ?? 0) + 1;
      });
    };
    loop();
    const beside = await timeCalls(MINUTE_MS, () => runtime.run("good"));
    clearTimeout(next);
    writeEvidence(name, {
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
    expect(Object.keys(loopCodes).toSorted()).toEqual(codes);
  },
);

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
