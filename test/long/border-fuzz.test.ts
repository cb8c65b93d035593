import { expect, test } from "vitest";
import { ALL_STAGES, FINISHED_CALL, GUEST_ALONE, OTHER_FAULTS, type PlantedFault } from "../fuzz/planted-faults.ts";
import { runFuzz, runPlanted } from "../fuzz/run.ts";
import { runSeed, writeEvidence } from "./evidence.ts";

const MESSAGES = 200_000;

/** Messages within which a planted fault must be found. */
const SOON = 10_000;

test("200,000 messages over the border crash nothing, hang nothing, and none is taken that the protocol does not allow", async () => {
  const seed = runSeed();
  const guestAlone = await runPlanted(GUEST_ALONE, { seed, messages: MESSAGES / 10, stages: ["guest"], layer: "guest" });
  const both = await runFuzz({ seed, messages: MESSAGES - MESSAGES / 10, stages: ALL_STAGES });
  const found: Record<string, readonly number[]> = {};
  for (const fault of [FINISHED_CALL, ...OTHER_FAULTS]) found[fault.name] = await messagesUntilFound(fault, [seed, seed + 1, seed + 2]);
  const messages = both.messages + guestAlone.messages;
  const mutated = both.mutated + guestAlone.mutated;
  const { takenMutants, mutations, goodCalls, rssMb, seconds } = both;
  writeEvidence("border-fuzz", {
    seed,
    messages,
    mutated,
    takenMutants,
    goodCalls,
    hosts: both.hosts + guestAlone.hosts,
    seconds: Math.round(seconds + guestAlone.seconds),
    rssMb,
    findings: [...both.findings, ...guestAlone.findings],
    messagesUntilPlantedFaultFound: found,
    mutations,
  });
  expect([...both.findings, ...guestAlone.findings]).toEqual([]);
  expect(messages).toBeGreaterThanOrEqual(MESSAGES);
  expect(mutated).toBeGreaterThanOrEqual(messages / 2);
  expect(rssMb.late).toBeLessThan(rssMb.early + 150);
  for (const [name, counts] of Object.entries(found)) expect(Math.max(...counts), name).toBeLessThan(SOON);
});

/** Infinity where it was not found. */
async function messagesUntilFound(fault: PlantedFault, seeds: readonly number[]): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const seed of seeds) {
    const { findings } = await runPlanted(fault, { seed, messages: SOON, stages: ALL_STAGES });
    counts.push(findings[0]?.atMessage ?? Number.POSITIVE_INFINITY);
  }
  return counts;
}
