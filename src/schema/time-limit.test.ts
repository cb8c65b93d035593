import { expect, test } from "vitest";
import { createTimeLimiter } from "./time-limit.ts";

test("a computation that ends gives its value, and its error is thrown as it is", () => {
  const limiter = createTimeLimiter();
  expect(limiter.run(() => 5, 100)).toEqual({ kind: "done", value: 5 });
  const error = new RangeError("own");
  expect(() =>
    limiter.run(() => {
      throw error;
    }, 100),
  ).toThrow(error);
});

test("a computation without end is stopped, and the next one runs", () => {
  const limiter = createTimeLimiter();
  const endless = (): never => {
    for (;;);
  };
  expect(["too-long", "starved"]).toContain(limiter.run(endless, 50).kind);
  expect(limiter.run(() => "next", 100)).toEqual({ kind: "done", value: "next" });
});
