import { expect, test } from "vitest";
import { ToolError } from "../core/errors.ts";
import { CallQueue, PLACES_PER_KEY, type PlaceRequest, type ReleasePlace } from "./call-queue.ts";

const never = new AbortController().signal;

function request(key: string, signal = never, agent = "default"): PlaceRequest {
  return { agent, key, tool: key, signal };
}

async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof ToolError ? error.code : error;
  }
}

test("free places are given at once, and a place given back goes to the first that waits", async () => {
  const queue = new CallQueue({ concurrentCalls: 2, queuedCalls: 2, queueWaitMs: 10_000 });
  const first = await queue.enter(request("a"));
  const second = await queue.enter(request("b"));
  const order: string[] = [];
  const waiting = ["c", "d"].map(async (key) => {
    const release = await queue.enter(request(key));
    order.push(key);
    return release;
  });
  expect(queue.counts).toEqual({ running: 2, waiting: 2 });
  first();
  first();
  const third = await waiting[0];
  expect(order).toEqual(["c"]);
  second();
  const fourth = await waiting[1];
  third?.();
  fourth?.();
  expect(queue.counts).toEqual({ running: 0, waiting: 0 });
});

test("one more than may run and wait is BUSY with a time to try again", async () => {
  const queue = new CallQueue({ concurrentCalls: 1, queuedCalls: 1, queueWaitMs: 10_000 });
  const release = await queue.enter(request("a"));
  const waiting = queue.enter(request("b"));
  expect(() => queue.enter(request("c"))).toThrow(expect.objectContaining({ code: "BUSY", data: { retryAfterMs: 1_000 } }));
  release();
  (await waiting)();
});

test("a wait over the limit is BUSY, and leaves no trace", async () => {
  const queue = new CallQueue({ concurrentCalls: 1, queuedCalls: 1, queueWaitMs: 30 });
  const release = await queue.enter(request("a"));
  expect(await codeOf(() => queue.enter(request("b")))).toBe("BUSY");
  expect(queue.counts).toEqual({ running: 1, waiting: 0 });
  release();
  expect(queue.counts).toEqual({ running: 0, waiting: 0 });
});

test("a cancelled wait ends with CANCELLED, also when it was cancelled before", async () => {
  const queue = new CallQueue({ concurrentCalls: 1, queuedCalls: 5, queueWaitMs: 10_000 });
  const release = await queue.enter(request("a"));
  const controller = new AbortController();
  const waiting = codeOf(() => queue.enter(request("b", controller.signal)));
  controller.abort();
  expect(await waiting).toBe("CANCELLED");
  expect(await codeOf(() => queue.enter(request("b", controller.signal)))).toBe("CANCELLED");
  release();
});

test("closing ends every wait with CANCELLED", async () => {
  const queue = new CallQueue({ concurrentCalls: 1, queuedCalls: 5, queueWaitMs: 10_000 });
  await queue.enter(request("a"));
  const waiting = codeOf(() => queue.enter(request("b")));
  queue.close();
  expect(await waiting).toBe("CANCELLED");
  expect(await codeOf(() => queue.enter(request("c")))).toBe("CANCELLED");
});

test("a key with its share of places lets others pass", async () => {
  const queue = new CallQueue({ concurrentCalls: 8, queuedCalls: 8, queueWaitMs: 10_000 });
  const slow: ReleasePlace[] = [];
  for (let index = 0; index < PLACES_PER_KEY; index++) slow.push(await queue.enter(request("slow")));
  const fifth = queue.enter(request("slow"));
  const other = await queue.enter(request("other"));
  expect(queue.counts).toEqual({ running: PLACES_PER_KEY + 1, waiting: 1 });
  slow[0]?.();
  (await fifth)();
  other();
});

test("slow calls of one key get more places after a moment, but never the last quarter", async () => {
  const queue = new CallQueue({ concurrentCalls: 8, queuedCalls: 20, queueWaitMs: 300 });
  const entered = await Promise.allSettled(Array.from({ length: 8 }, async () => await queue.enter(request("slow"))));
  expect(entered.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
  expect(queue.counts).toEqual({ running: 6, waiting: 0 });
});

test("a full queue makes room for a tool with fewer calls in it: the newest call of the tool with the most is BUSY", async () => {
  const queue = new CallQueue({ concurrentCalls: 4, queuedCalls: 4, queueWaitMs: 10_000 });
  const releases = await Promise.all([...Array(3).fill("slow"), "third"].map((key: string) => queue.enter(request(key))));
  const flood = Array.from({ length: 4 }, () => codeOf(async () => (await queue.enter(request("slow")))()));
  expect(() => queue.enter(request("slow"))).toThrow(expect.objectContaining({ code: "BUSY" }));
  const other = queue.enter(request("other"));
  expect(await flood[3]).toBe("BUSY");
  expect(queue.counts).toEqual({ running: 4, waiting: 4 });
  for (const release of releases) release();
  (await other)();
  expect(await Promise.all(flood)).toEqual([undefined, undefined, undefined, "BUSY"]);
  expect(queue.counts).toEqual({ running: 0, waiting: 0 });
});

test("one slow tool cannot take every place, also where there are few, and a call of another starts at once", async () => {
  const queue = new CallQueue({ concurrentCalls: 4, queuedCalls: 8, queueWaitMs: 10_000 });
  const slow = Array.from({ length: 8 }, () => queue.enter(request("slow")));
  expect(queue.counts).toEqual({ running: 3, waiting: 5 });
  expect(queue.enter(request("other"))).toBeTypeOf("function");
  for (const place of slow) (await place)();
});

test("an agent alone gets every place, and once another has come never the last quarter, however many tools it calls", async () => {
  const queue = new CallQueue({ concurrentCalls: 8, queuedCalls: 20, queueWaitMs: 10_000 });
  const enter = (agent: string, count: number): (ReleasePlace | Promise<ReleasePlace>)[] =>
    Array.from({ length: count }, (_, n) => queue.enter(request(`${agent} ${n}`, never, agent)));
  const alone = await Promise.all(enter("a", 8));
  const waiting = enter("b", 1);
  alone[0]?.();
  (await waiting[0])?.();
  const again = enter("a", 8);
  for (const release of alone) release();
  expect(queue.counts).toEqual({ running: 6, waiting: 2 });
  (await queue.enter(request("b", never, "b")))();
  for (const place of again) (await place)();
  expect(queue.counts).toEqual({ running: 0, waiting: 0 });
});

test("a place that becomes free goes to the agent that has the fewest, not to the one that asked most", async () => {
  const queue = new CallQueue({ concurrentCalls: 4, queuedCalls: 20, queueWaitMs: 10_000 });
  const order: string[] = [];
  const ask = async (agent: string, key: string): Promise<void> => {
    const release = await queue.enter(request(`${agent} ${key}`, never, agent));
    order.push(`${agent} ${key}`);
    release();
  };
  const places = await Promise.all(["1", "2", "3", "4"].map((key) => queue.enter(request(`a ${key}`, never, "a"))));
  const asked = [ask("a", "5"), ask("a", "1"), ask("b", "1")];
  for (const place of places.splice(2).reverse()) place();
  await Promise.all(asked);
  expect(order).toEqual(["b 1", "a 5", "a 1"]);
  for (const release of places) release();
});
