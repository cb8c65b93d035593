import { expect, onTestFinished, test, vi } from "vitest";
import { createProgressSender, type ProgressNote } from "./progress.ts";

test("only values that rise are sent, beginning with 0", () => {
  const notes: ProgressNote[] = [];
  using sender = createProgressSender("token", (note) => notes.push(note));
  sender.send({ done: 0 });
  sender.send({ done: 0 });
  sender.send({ done: 1, total: 3, message: "one" });
  sender.send({ done: 0.5, total: 3 });
  sender.send({ done: Number.NaN });
  sender.send({ done: 3, total: 3 });
  expect(notes).toEqual([
    { progressToken: "token", progress: 0 },
    { progressToken: "token", progress: 1, total: 3, message: "one" },
    { progressToken: "token", progress: 3, total: 3 },
  ]);
});

test("a silent call sends heartbeats that rise and leave room for the script's own values", async () => {
  const notes: ProgressNote[] = [];
  const { promise: third, resolve } = Promise.withResolvers<void>();
  const notify = (note: ProgressNote): void => {
    notes.push(note);
    if (notes.length === 3) resolve();
  };
  using sender = createProgressSender(7, notify, { heartbeatMs: 5 });
  await third;
  expect(notes.slice(0, 3).map((note) => note.progress)).toEqual([0.001, 0.002, 0.003]);
  sender.send({ done: 1, total: 2, message: "half" });
  expect(notes.at(-1)).toEqual({ progressToken: 7, progress: 1, total: 2, message: "half" });
});

test("nothing is sent after the call", async () => {
  const notes: ProgressNote[] = [];
  const ended = createProgressSender(7, (note) => notes.push(note), { heartbeatMs: 5 });
  ended[Symbol.dispose]();
  ended.send({ done: 1 });
  const { promise: othersThird, resolve } = Promise.withResolvers<void>();
  let beats = 0;
  const count = (): void => {
    beats++;
    if (beats === 3) resolve();
  };
  using _other = createProgressSender(8, count, { heartbeatMs: 5 });
  await othersThird;
  expect(notes).toEqual([]);
});

test("heartbeats rise also above numbers in which a small step vanishes, and say no total that they are beyond", async () => {
  for (const done of [3, 2 ** 53, 1e300]) {
    const notes: ProgressNote[] = [];
    const { promise: fourth, resolve } = Promise.withResolvers<void>();
    const notify = (note: ProgressNote): void => {
      notes.push(note);
      if (notes.length === 4) resolve();
    };
    using sender = createProgressSender(7, notify, { heartbeatMs: 5 });
    sender.send({ done, total: done });
    await fourth;
    const values = notes.map(({ progress }) => progress);
    expect(values.slice(1).every((value, index) => value > (values[index] ?? value))).toBe(true);
    expect(notes.slice(0, 4).map(({ total }) => total)).toEqual([done, undefined, undefined, undefined]);
  }
});

test("without a setting a heartbeat comes within 15 seconds, and again within 15 after each step of the script", () => {
  onTestFinished(() => {
    vi.useRealTimers();
  });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const notes: ProgressNote[] = [];
  using sender = createProgressSender(7, (note) => notes.push(note));
  vi.advanceTimersByTime(15_000);
  expect(notes).toHaveLength(1);
  vi.advanceTimersByTime(10_000);
  sender.send({ done: 1 });
  expect(notes).toHaveLength(2);
  vi.advanceTimersByTime(15_000);
  expect(notes).toHaveLength(3);
});
