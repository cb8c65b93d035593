import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { borderCaps, type FromHost, longestLine, parseFromHost } from "./border.ts";
import { guestCaps } from "./guest-caps.ts";

const caps = borderCaps(guestCaps(defaultLimits()));

const examples: readonly FromHost[] = [
  { kind: "ready" },
  { kind: "fatal", message: "no library" },
  { kind: "preparing", callId: "c1" },
  { kind: "started", callId: "c1" },
  { kind: "hostCall", callId: "c1", sequence: 0, method: "http.makeHttpRequest", params: "{}" },
  { kind: "notice", callId: "c1", name: "log.write", params: "{}" },
  { kind: "done", callId: "c1", outcome: "{}", cpuMs: 0.25 },
  { kind: "free", callId: "c1", end: "idle", cpuMs: 1 },
  { kind: "pong", count: 3, rssMb: 60.5, cpuMs: 120 },
];

/** Values no field of any kind accepts. */
const strangers: readonly unknown[] = [null, true, [], {}, ["c1"], { length: 1 }, -1];

test("every message a host may send is taken as it is", () => {
  for (const message of examples) expect(parseFromHost(JSON.stringify(message), caps)).toEqual(message);
});

test("a message without one of its fields, or with one more, is a breach", () => {
  for (const message of examples) {
    for (const name of Object.keys(message)) {
      const rest = Object.fromEntries(Object.entries(message).filter(([key]) => key !== name));
      expect(parseFromHost(JSON.stringify(rest), caps).kind, `${message.kind} without ${name}`).toBe("breach");
    }
    expect(parseFromHost(JSON.stringify({ ...message, extra: 1 }), caps).kind, `${message.kind} with more`).toBe("breach");
    const text = JSON.stringify(message);
    expect(parseFromHost(`${text.slice(0, -1)},"__proto__":{"callId":"c2"}}`, caps).kind, `${message.kind} with __proto__`).toBe("breach");
  }
});

test("a field of the wrong type is a breach, in every field of every message", () => {
  for (const message of examples) {
    for (const name of Object.keys(message)) {
      for (const value of strangers) {
        const mutated = JSON.stringify({ ...message, [name]: value });
        expect(parseFromHost(mutated, caps).kind, `${message.kind}.${name} = ${JSON.stringify(value)}`).toBe("breach");
      }
    }
  }
});

test("numbers out of range, unknown kinds, methods and ends, and texts over their bounds are breaches", () => {
  const [, fatal, , started, hostCall, notice, done, free, pong] = examples;
  const bad: readonly object[] = [
    { ...hostCall, sequence: -1 },
    { ...hostCall, sequence: 0.5 },
    { ...hostCall, sequence: 2 ** 53 },
    { ...hostCall, method: "makeHttpRequest" },
    { ...hostCall, method: "http.__proto__" },
    { ...hostCall, method: "http.a.b" },
    { ...hostCall, params: "x".repeat(caps.paramsCharacters + 1) },
    { ...notice, params: "x".repeat(caps.noticeCharacters + 1) },
    { ...notice, name: "log.write\n" },
    { ...done, outcome: "x".repeat(caps.outcomeCharacters + 1) },
    { ...done, cpuMs: -1 },
    { ...free, end: "kept" },
    { ...free, end: "constructor" },
    { ...pong, rssMb: "60" },
    { ...started, callId: "" },
    { ...started, callId: "c".repeat(129) },
    { ...fatal, message: "x".repeat(4_097) },
    { kind: "toString" },
    { kind: "init" },
    { kind: 1 },
  ];
  for (const message of bad) expect(parseFromHost(JSON.stringify(message), caps).kind, JSON.stringify(message).slice(0, 80)).toBe("breach");
  expect(parseFromHost('{"kind":"done","callId":"c1","outcome":"{}","cpuMs":1e999}', caps).kind).toBe("breach");
});

test("a line that is no JSON object is a breach", () => {
  for (const line of ["", "garbage", "[]", "null", "1", '"ready"', '{"kind":"ready"', "{}"]) {
    expect(parseFromHost(line, caps).kind, line).toBe("breach");
  }
});

test("the reason of a breach never quotes the host's text", () => {
  const reasons = [
    parseFromHost('{"kind":"s3cret"}', caps),
    parseFromHost("s3cret", caps),
    parseFromHost('{"kind":"ready","s3cret":"s3cret"}', caps),
    parseFromHost('{"kind":"fatal","message":["s3cret"]}', caps),
  ];
  for (const reason of reasons) expect(JSON.stringify(reason)).not.toContain("s3cret");
});

test("the longest line holds the largest message a guest may cause", () => {
  const outcome = JSON.stringify({ kind: "value", json: JSON.stringify("\\".repeat(defaultLimits().resultBytes / 2 - 1)) });
  const line = JSON.stringify({ kind: "done", callId: "c".repeat(128), outcome, cpuMs: 12_345.678 });
  expect(line.length).toBeLessThan(longestLine(caps));
  expect(parseFromHost(line, caps).kind).toBe("done");
});
