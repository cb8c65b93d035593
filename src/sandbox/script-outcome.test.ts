import { expect, test } from "vitest";
import { testCall } from "../../test/support/sandbox-call.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { SandboxCall } from "./sandbox-call.ts";
import { MAX_VALUE_DEPTH, type OutcomeRules, parseJson, readOutcome } from "./script-outcome.ts";

const call = testCall("", { tool: "probe" });
const rules: OutcomeRules = {
  resultBytes: 1_000,
  mediaBytes: 300,
  messageCharacters: 50,
  answeredCodes: new Set<ErrorCode>(["HOST_NOT_ALLOWED"]),
};

function read(outcome: unknown): unknown {
  const result = readOutcome(typeof outcome === "string" ? outcome : JSON.stringify(outcome), call, 2, rules);
  if (result?.kind !== "error") return result;
  const { code, message, data } = result.error;
  return { code, message, data };
}

test("a value is parsed from its JSON", () => {
  expect(read({ kind: "value", json: '{"a":[1,"ä"]}' })).toEqual({ kind: "value", value: { a: [1, "ä"] }, jsonBytes: 14, cpuMs: 2 });
});

test("a value over the limit in bytes is RESULT_TOO_LARGE", () => {
  expect(read({ kind: "value", json: JSON.stringify("ä".repeat(500)) })).toMatchObject({ code: "RESULT_TOO_LARGE" });
});

test("content is blocks, with or without a value, under both limits together", () => {
  const content = (value: unknown): unknown => read({ kind: "content", json: JSON.stringify(value) });
  expect(content({ blocks: [{ type: "text", text: "a" }] })).toEqual({ kind: "content", blocks: [{ type: "text", text: "a" }], cpuMs: 2 });
  expect(content({ blocks: [], value: null })).toEqual({ kind: "content", blocks: [], value: null, cpuMs: 2 });
  expect(content({ blocks: ["x".repeat(1_350)] })).toMatchObject({ kind: "content" });
  expect(content({ blocks: ["x".repeat(1_400)] })).toMatchObject({ code: "RESULT_TOO_LARGE" });
});

test("a failure may have blocks", () => {
  const result = readOutcome(JSON.stringify({ kind: "failed", message: "no luck", json: '{"blocks":[1]}' }), call, 2, rules);
  expect(result).toMatchObject({ kind: "error", blocks: [1], error: { code: "SCRIPT_ERROR", message: 'Tool "probe" failed: no luck' } });
});

test("what no guest writes is no outcome", () => {
  const strangers = [
    "not json",
    [],
    null,
    {},
    { kind: "value" },
    { kind: "value", json: 1 },
    { kind: "value", json: "{" },
    { kind: "failed", message: {} },
    { kind: "failed", message: "x", json: "{" },
    { kind: "failed", message: "x", json: 1 },
    { kind: "content" },
    { kind: "content", json: "[]" },
    { kind: "content", json: '{"blocks":{}}' },
    { kind: "error", name: "Error" },
    { kind: "error", name: 1, message: "x" },
    { kind: "ok" },
  ];
  for (const outcome of strangers) expect(read(outcome), JSON.stringify(outcome)).toBeUndefined();
});

test("a value deeper than the guest allows is no outcome", () => {
  const deep = "[".repeat(MAX_VALUE_DEPTH + 2) + "]".repeat(MAX_VALUE_DEPTH + 2);
  expect(readOutcome(JSON.stringify({ kind: "value", json: deep }), call, 0, { ...rules, resultBytes: 10_000 })).toBeUndefined();
});

test("an error tells its name, message and place in the script", () => {
  const outcome = { kind: "error", name: "TypeError", message: "x is not a function", file: "scripts/probe.js", line: 3, column: 7 };
  expect(read(outcome)).toEqual({
    code: "SCRIPT_ERROR",
    message: 'Tool "probe" failed at scripts/probe.js:3:7: TypeError: x is not a function',
    data: { file: "scripts/probe.js", line: 3, column: 7 },
  });
});

test("an error of a script that is made of several files tells the place in them, where it was thrown, and the lines around", () => {
  const asked: unknown[] = [];
  const place = { file: "scripts/a.ts", line: 4, column: 10, thrownIn: { file: "node_modules/p/i.js", line: 2, column: 9 } };
  const locate: NonNullable<SandboxCall["script"]["locate"]> = (frames, message) => {
    asked.push([frames, message]);
    return frames.length === 2 ? { ...place, excerpt: "> 4 | x", hint: "Change it." } : undefined;
  };
  const bundled = { ...call, script: { ...call.script, locate } };
  const error = { kind: "error", name: "Error", message: "bad", file: "scripts/probe.js", line: 1, column: 20 };
  const told = (outcome: unknown): unknown => {
    const result = readOutcome(JSON.stringify(outcome), bundled, 2, rules);
    return result?.kind === "error" ? { message: result.error.message, data: result.error.data } : result;
  };
  expect(told({ ...error, frames: [1, 20, 1, 400, "x", 3] })).toEqual({
    message: 'Tool "probe" failed at scripts/a.ts:4:10 (thrown at node_modules/p/i.js:2:9): Error: bad. Change it.',
    data: { ...place, excerpt: "> 4 | x" },
  });
  expect(told(error)).toEqual({ message: 'Tool "probe" failed in scripts/probe.js: Error: bad', data: { file: "scripts/probe.js" } });
  expect(told({ ...error, frames: Array(1_000).fill(1) })).toMatchObject({ data: { file: "scripts/probe.js" } });
  expect(asked).toEqual([
    [
      [
        { line: 1, column: 20 },
        { line: 1, column: 400 },
      ],
      "bad",
    ],
    [[{ line: 1, column: 20 }], "bad"],
    [Array(16).fill({ line: 1, column: 1 }), "bad"],
  ]);
});

test("a place in another file, or one that is no position, is not shown", () => {
  const outcome = { kind: "error", name: "Error", message: "x", file: "/etc/passwd", line: 1, column: 1 };
  expect(read(outcome)).toEqual({
    code: "SCRIPT_ERROR",
    message: 'Tool "probe" failed in scripts/probe.js: Error: x',
    data: { file: "scripts/probe.js" },
  });
  expect(read({ ...outcome, file: "scripts/probe.js", line: -1 })).toMatchObject({ data: { file: "scripts/probe.js" } });
});

test("a failure on purpose is SCRIPT_ERROR with the script's words", () => {
  expect(read({ kind: "failed", message: "search answered 500" })).toMatchObject({
    code: "SCRIPT_ERROR",
    message: 'Tool "probe" failed: search answered 500',
  });
});

test("a code is kept if the guest makes it or a host call of this call was answered with it, else it is SCRIPT_ERROR", () => {
  const error = { kind: "error", name: "Error", message: "m" };
  expect(read({ ...error, code: "TOO_MANY_REQUESTS" })).toMatchObject({ code: "TOO_MANY_REQUESTS", message: "m" });
  expect(read({ ...error, code: "HOST_NOT_ALLOWED" })).toMatchObject({ code: "HOST_NOT_ALLOWED" });
  for (const code of ["VAULT_TAMPERED", "TIMEOUT", "constructor", "x", 1])
    expect(read({ ...error, code })).toMatchObject({ code: "SCRIPT_ERROR" });
});

test("messages are cut and made well formed", () => {
  const result = readOutcome(JSON.stringify({ kind: "error", name: "\ud800", message: `\ud800${"m".repeat(500)}` }), call, 0, rules);
  if (result?.kind !== "error") throw new Error("no error");
  expect(result.error.message).toBe(`Tool "probe" failed in scripts/probe.js: \ufffd: \ufffd${"m".repeat(49)}`);
});

test("JSON within the depth is a value, deeper or other text is none", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(parseJson(nested(MAX_VALUE_DEPTH))).toBeDefined();
  expect(parseJson(nested(MAX_VALUE_DEPTH + 2))).toBeUndefined();
  expect(parseJson("[".repeat(200_000) + "]".repeat(200_000))).toBeUndefined();
  expect(parseJson("{,}")).toBeUndefined();
  expect(JSON.stringify(parseJson('{"__proto__":{"p":1}}'))).toBe('{"__proto__":{"p":1}}');
});
