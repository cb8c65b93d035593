/**
 * A run of the fuzz in a process of its own, so that a crash of the code under test is seen as one.
 * Usage: node test/fuzz/main.ts '<RunOrder of run.ts as JSON>'; prints one line of JSON, a `RunReport`.
 */

import { FUZZ_CAPS, FUZZ_POOL } from "./caps.ts";
import { withinMs } from "./deadline.ts";
import { GuestFuzz } from "./guest-side.ts";
import { fuzzLines } from "./lines.ts";
import { callOf, fuzzConversations } from "./main-side.ts";
import { openRandom } from "./random.ts";
import { find, newTally } from "./report.ts";
import type { RunOrder } from "./run.ts";
import { loadUnderTest, type UnderTest } from "./under-test.ts";

/** Messages of one stage in one round. */
const ROUND = { lines: 180, conversations: 120, guest: 100 };

/** Longest time for a well-behaved call, which takes a millisecond. */
const GOOD_CALL_MS = 20_000;

const order: RunOrder = JSON.parse(process.argv[2] ?? "");
const tally = newTally();
const startedMs = performance.now();
const rssMb = { early: 0, late: 0 };
let goodCalls = 0;
let hosts = 0;

process.on("uncaughtException", (error) => {
  find(tally, "process", `the server's side threw ${error.stack ?? String(error)}`);
  report();
  process.exit(1);
});
await run(await loadUnderTest(order.root));
report();

async function run(code: UnderTest): Promise<void> {
  const random = openRandom(order.seed);
  const { stages, messages, layer = "both" } = order;
  await using guest = new GuestFuzz(code, random, tally, layer);
  const healthy = startHealthy(code);
  await healthy.ready;
  for (let round = 0; tally.messages < messages && tally.findings.length === 0; round += 1) {
    const most = (stage: keyof typeof ROUND): number => (stages.includes(stage) ? Math.min(messages - tally.messages, ROUND[stage]) : 0);
    await fuzzLines(code, random, tally, most("lines"));
    await fuzzConversations(code, random, tally, most("conversations"));
    await guest.run(most("guest"));
    await callHealthy(healthy, round);
    if (round === 10) rssMb.early = rssNow();
  }
  if (!healthy.isServing) find(tally, "healthy", `the healthy host is ${healthy.state}`);
  await healthy[Symbol.asyncDispose]();
  rssMb.late = rssNow();
  hosts = guest.hosts;
}

function startHealthy(code: UnderTest): InstanceType<UnderTest["HostProcess"]> {
  return new code.HostProcess({
    command: code.hostCommand(),
    sources: code.readRealmSources([]),
    caps: FUZZ_CAPS,
    pool: FUZZ_POOL,
    onLost: () => undefined,
    onFirstAnswer: () => undefined,
  });
}

/** After each round a call of another host must be answered as if nothing had been. */
async function callHealthy(host: InstanceType<UnderTest["HostProcess"]>, round: number): Promise<void> {
  if (!host.isServing) return;
  const call = callOf(`healthy-${round}`, new AbortController().signal, () => undefined);
  const source = "async function main() { return 'well'; }";
  const result = await withinMs(
    GOOD_CALL_MS,
    host.run({ ...call, script: { ...call.script, source } }, () => undefined),
  );
  if (result !== "late" && result.kind === "value" && result.value === "well") goodCalls += 1;
  else find(tally, "healthy", `a well-behaved call was answered with ${JSON.stringify(result)}`);
}

function rssNow(): number {
  return Math.round(process.memoryUsage().rss / 1_048_576);
}

function report(): void {
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  console.log(JSON.stringify({ ...tally, hosts, goodCalls, seconds, rssMb }));
}
