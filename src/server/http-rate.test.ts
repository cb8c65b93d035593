import fc from "fast-check";
import { expect, test } from "vitest";
import { createRequestRate, type RateLimits } from "./http-rate.ts";

const LIMITS: RateLimits = { requestsPerSecond: 20, requestBurst: 40 };

function clocked(limits: () => RateLimits = () => LIMITS) {
  let nowMs = 1_000;
  const rate = createRequestRate({ limits, now: () => nowMs });
  return {
    rate,
    pass: (ms: number): void => {
      nowMs += ms;
    },
    /** How many of so many requests at once are taken. */
    taken: (count: number, token = "a"): number => Array.from({ length: count }, () => rate.ofToken(token)).filter((over) => !over).length,
  };
}

test("40 requests at once are taken, then 20 a second, and a pause fills the allowance up to 40 again and no more", () => {
  const { taken, pass } = clocked();
  expect(taken(100)).toBe(40);
  pass(49);
  expect(taken(5)).toBe(0);
  pass(1);
  expect(taken(5)).toBe(1);
  pass(1_000);
  expect(taken(100)).toBe(20);
  pass(3_600_000);
  expect(taken(100)).toBe(40);
});

test("a refusal costs nothing, however often it is tried, and says after how many whole seconds the next one is taken", () => {
  const { rate, taken, pass } = clocked(() => ({ requestsPerSecond: 0.4, requestBurst: 2 }));
  expect(taken(2)).toBe(2);
  const waits = Array.from({ length: 3 }, () => rate.ofToken("a"));
  expect(waits.map((over) => [over?.retryAfterSeconds, over?.isRepeated])).toEqual([
    [3, false],
    [3, true],
    [3, true],
  ]);
  pass(500);
  expect(rate.ofToken("a")).toMatchObject({ retryAfterSeconds: 2, isRepeated: true });
  pass(2_000);
  expect(rate.ofToken("a")).toBeUndefined();
  expect(rate.ofToken("a")).toMatchObject({ retryAfterSeconds: 3, isRepeated: false });
});

test("each token has an allowance of its own, and all who have none share one", () => {
  const { rate, taken } = clocked();
  expect([taken(50, "a"), taken(50, "b"), taken(50, "")]).toEqual([40, 40, 40]);
  const strangers = Array.from({ length: 50 }, () => rate.ofStranger()).filter((over) => over === undefined).length;
  expect(strangers).toBe(40);
  // What a token hashes to cannot be chosen, but neither may it meet the name of the shared allowance.
  expect(taken(50, "strangers")).toBe(40);
});

test("limits that change count from the next request on", () => {
  let limits: RateLimits = LIMITS;
  const { taken, pass } = clocked(() => limits);
  expect(taken(50)).toBe(40);
  limits = { requestsPerSecond: 1, requestBurst: 1 };
  pass(2_000);
  expect(taken(50)).toBe(1);
  pass(1_000);
  expect(taken(50)).toBe(1);
});

test("what is remembered of many tokens is forgotten once it says nothing more", () => {
  const { taken, pass } = clocked();
  for (let token = 0; token < 1_500; token++) taken(1, String(token));
  pass(60_000);
  expect(taken(50, "0")).toBe(40);
  // The one token that is short stays so while the others are forgotten.
  for (let token = 0; token < 1_500; token++) taken(1, `next ${token}`);
  expect(taken(1, "0")).toBe(0);
});

test("in no span of time are more taken than the burst and what the rate gives in it", () => {
  const limits = fc.record({ requestsPerSecond: fc.integer({ min: 1, max: 50 }), requestBurst: fc.integer({ min: 1, max: 50 }) });
  const steps = fc.array(fc.record({ pass: fc.integer({ min: 0, max: 2_000 }), tries: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(limits, steps, (bounds, all) => {
      const { taken, pass } = clocked(() => bounds);
      const takenAt: number[] = [];
      let nowMs = 0;
      for (const step of all) {
        pass(step.pass);
        nowMs += step.pass;
        const count = taken(step.tries);
        for (let index = 0; index < count; index++) takenAt.push(nowMs);
      }
      const excess = takenAt.flatMap((startMs, from) =>
        takenAt.slice(from).map((endMs, index) => index + 1 - bounds.requestBurst - (bounds.requestsPerSecond * (endMs - startMs)) / 1_000),
      );
      expect(excess.reduce((most, one) => Math.max(most, one), 0)).toBeLessThan(1e-6);
    }),
    { numRuns: 50 },
  );
});
