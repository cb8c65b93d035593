import { expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";
import { createRedactorStore } from "./redactor-store.ts";

function countingStore() {
  const made: string[][] = [];
  const store = createRedactorStore((values) => {
    made.push([...values]);
    return createRedactor(values);
  });
  return { store, made };
}

test("the same values give the same redactor in the next call, in any order", () => {
  const { store, made } = countingStore();
  const first = store.of(["one-value-0123", "two-value-0123"]);
  expect(store.of(["two-value-0123", "one-value-0123", "one-value-0123"])).toBe(first);
  expect(made).toEqual([[], ["one-value-0123", "two-value-0123"]]);
});

test("a value that was replaced by another one gives another redactor, though their number is the same", () => {
  const { store } = countingStore();
  expect(store.of(["one-value-0123"]).redactText("one-value-0123 new-value-0123")).toBe("[redacted] new-value-0123");
  expect(store.of(["new-value-0123"]).redactText("one-value-0123 new-value-0123")).toBe("one-value-0123 [redacted]");
});

test("lists that look alike when joined are told apart", () => {
  const { store } = countingStore();
  expect(store.of(['aaaaaaaa","bbbbbbbb'])).not.toBe(store.of(["aaaaaaaa", "bbbbbbbb"]));
});

test("at most 32 are kept, those that were asked for last, and of long values fewer", () => {
  const { store, made } = countingStore();
  const value = (index: number): string => `value-number-${index}`;
  for (let index = 0; index < 33; index++) store.of([value(index)]);
  store.of([value(32)]);
  store.of([value(1)]);
  expect(made).toHaveLength(34);
  store.of([value(0)]);
  expect(made).toHaveLength(35);
  for (let index = 0; index < 5; index++) store.of([value(index).padEnd(65_536, "x")]);
  expect(made).toHaveLength(40);
  store.of([value(32)]);
  expect(made).toHaveLength(41);
});
