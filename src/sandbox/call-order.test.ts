import { expect, test } from "vitest";
import { type CallMessage, CallOrder } from "./call-order.ts";

const callId = "c1";
const preparing: CallMessage = { kind: "preparing", callId };
const started: CallMessage = { kind: "started", callId };
const notice: CallMessage = { kind: "notice", callId, name: "log.write", params: "{}" };
const done: CallMessage = { kind: "done", callId, outcome: "{}", cpuMs: 1 };
const hostCall = (sequence: number): CallMessage => ({ kind: "hostCall", callId, sequence, method: "a.b", params: "{}" });
const free = (end: Extract<CallMessage, { kind: "free" }>["end"]): CallMessage => ({ kind: "free", callId, end, cpuMs: 1 });

/** What is wrong with the last message after the others, which must all be in order. */
function wrongWith(messages: readonly CallMessage[], isStopped = false): string | undefined {
  const order = new CallOrder();
  for (const message of messages.slice(0, -1)) expect(order.take(message, isStopped), message.kind).toBeUndefined();
  return order.take(messages.at(-1) ?? done, isStopped);
}

test("what an honest host tells of a call is in order", () => {
  expect(wrongWith([hostCall(0), notice, hostCall(1), done, free("idle")])).toBeUndefined();
  expect(wrongWith([preparing, started, hostCall(0), hostCall(7), done, free("idle")])).toBeUndefined();
  expect(wrongWith([preparing, done, free("idle")]), "a script that does not load").toBeUndefined();
  expect(wrongWith([preparing, free("error")]), "an isolate that cannot be made").toBeUndefined();
  for (const end of ["timeout", "memory", "error"] as const) {
    expect(wrongWith([hostCall(0), free(end)]), end).toBeUndefined();
    expect(wrongWith([done, free(end)]), `${end} after the answer`).toBeUndefined();
  }
  for (const end of ["idle", "busy"] as const) expect(wrongWith([hostCall(0), free(end)], true), `${end} when stopped`).toBeUndefined();
  expect(wrongWith([preparing, free("idle")], true), "stopped while it was prepared").toBeUndefined();
});

test("a call is prepared and started once, before anything else of it", () => {
  expect(wrongWith([preparing, preparing])).toBe("prepares twice");
  expect(wrongWith([preparing, started, preparing])).toBe("prepares twice");
  expect(wrongWith([notice, preparing])).toBe("prepares twice");
  expect(wrongWith([done, preparing])).toBe("prepares twice");
  expect(wrongWith([started])).toBe("starts twice");
  expect(wrongWith([preparing, started, started])).toBe("starts twice");
  expect(wrongWith([preparing, hostCall(0)])).toBe("calls the server before its start");
  expect(wrongWith([preparing, notice])).toBe("sends a notice before its start");
});

test("nothing but its end comes after a call is done, and no end without an answer or a stop", () => {
  expect(wrongWith([done, hostCall(0)])).toBe("calls the server after its end");
  expect(wrongWith([done, notice])).toBe("sends a notice after its end");
  expect(wrongWith([done, done])).toBe("ends twice");
  expect(wrongWith([free("idle")])).toBe("is free without an answer");
  expect(wrongWith([free("busy")])).toBe("was busy at a stop that nobody asked for");
  expect(wrongWith([done, free("busy")])).toBe("was busy at a stop that nobody asked for");
});

test("host calls are numbered upwards", () => {
  expect(wrongWith([hostCall(3), hostCall(3)])).toBe("uses the number of a host call twice");
  expect(wrongWith([hostCall(3), hostCall(2)])).toBe("uses the number of a host call twice");
});
