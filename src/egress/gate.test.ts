import { expect, test } from "vitest";
import { createGate } from "./gate.ts";

test("places are given in the order of asking, and a newcomer cannot overtake", async () => {
  const gate = createGate(1);
  const { signal } = new AbortController();
  const order: string[] = [];
  const use = async (name: string): Promise<void> => {
    const leave = await gate.enter(signal);
    order.push(name);
    await Promise.resolve();
    leave();
  };
  const first = use("a");
  const others = [use("b"), use("c")];
  await first;
  await Promise.all([...others, use("d")]);
  expect(order).toEqual(["a", "b", "c", "d"]);
});

test("who gives up waiting takes no place", async () => {
  const gate = createGate(1);
  const forever = new AbortController().signal;
  const ending = new AbortController();
  const leave = await gate.enter(forever);
  const givenUp = gate.enter(ending.signal);
  const next = gate.enter(forever);
  ending.abort(new Error("gone"));
  await expect(givenUp).rejects.toThrow("gone");
  leave();
  (await next)();
  (await gate.enter(forever))();
  await expect(gate.enter(ending.signal)).rejects.toThrow("gone");
});
