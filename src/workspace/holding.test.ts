import { expect, test } from "vitest";
import { createHolding } from "./holding.ts";

test("a worse state is waited out for 300 ms from when it was first seen", () => {
  const holding = createHolding();
  expect([1_000, 1_299.9, 1_300, 1_400].map((nowMs) => holding.isHeld("a", nowMs))).toEqual([true, true, false, false]);
});

test("a state that was well in between is waited out anew", () => {
  const holding = createHolding();
  holding.isHeld("a", 1_000);
  holding.release("a");
  expect(holding.isHeld("a", 1_400)).toBe(true);
});

test("what is held is looked at again after 50, 150 and 300 ms, and then no more", () => {
  const holding = createHolding();
  holding.isHeld("a", 1_000);
  expect([1_000, 1_050, 1_149, 1_200].map((nowMs) => holding.nextLookMs(nowMs))).toEqual([50, 100, 1, 100]);
  holding.isHeld("a", 1_300);
  expect(holding.nextLookMs(1_300)).toBeUndefined();
});

test("a look that came a moment too early is made again, however late it is asked for", () => {
  const holding = createHolding();
  holding.isHeld("a", 1_000);
  holding.isHeld("a", 1_299.9);
  expect(holding.nextLookMs(1_300.1)).toBe(0);
});

test("what is gone is held no more", () => {
  const holding = createHolding();
  holding.isHeld("a", 1_000);
  holding.keepOnly(new Set());
  expect(holding.nextLookMs(1_000)).toBeUndefined();
});
