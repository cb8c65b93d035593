import { expect, test } from "vitest";
import { reloadUnderCalls } from "../../test/support/reload-under-calls.ts";

test("in 25 saves under calls every call works, no list has fewer tools, and the call after each save runs on it", async () => {
  let state = 0;
  // Each style in turn, and the tools as well.
  const next = (): number => (state++ % 10) / 10;
  const figures = await reloadUnderCalls(25, 10, next);
  expect(figures).toMatchObject({ live: 25, failed: 0, fewest: 10 });
  expect(Math.min(figures.calls, figures.lists)).toBeGreaterThan(10);
});
