/** The border of the sandbox against messages one change away from valid; test/long/border-fuzz.test.ts is the same in large. */
import { expect, test } from "vitest";
import { ALL_STAGES, FINISHED_CALL } from "../fuzz/planted-faults.ts";
import { runFuzz, runPlanted } from "../fuzz/run.ts";

test("of 4,000 messages over the border, most of them one change away from valid, none is taken that the protocol does not allow", async () => {
  const { findings, messages, mutated, goodCalls } = await runFuzz({ seed: 4, messages: 4_000, stages: ALL_STAGES });
  expect(findings).toEqual([]);
  expect(mutated).toBeGreaterThan(messages / 2);
  expect(goodCalls).toBeGreaterThanOrEqual(10);
});

test("the same messages find that a message is accepted for a finished call, where that is planted", async () => {
  const { findings, messages } = await runPlanted(FINISHED_CALL, { seed: 4, messages: 4_000, stages: ["conversations"] });
  expect(findings).toMatchObject([{ stage: "conversation" }]);
  expect(messages).toBeLessThan(4_000);
});
