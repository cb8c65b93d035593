import { expect, test } from "vitest";
import { ToolStrikes } from "./tool-strikes.ts";

const tool = { agent: "default", tool: "a", scriptKey: "v1" };

test("three strikes within a minute refuse the tool for a minute with BUSY, and nobody else", () => {
  let nowMs = 1_000;
  const strikes = new ToolStrikes(() => nowMs);
  expect(strikes.strike(tool, "looped")).toBe(false);
  nowMs += 20_000;
  expect(strikes.strike(tool, "looped")).toBe(false);
  expect(strikes.refusal(tool)).toBeUndefined();
  nowMs += 20_000;
  expect(strikes.strike(tool, "looped")).toBe(true);
  nowMs += 15_000;
  const refusal = strikes.refusal(tool);
  expect([refusal?.code, refusal?.data]).toEqual(["BUSY", { retryAfterMs: 45_000 }]);
  expect(refusal?.message).toContain("looped");
  expect(strikes.refusal({ ...tool, tool: "b" })).toBeUndefined();
  nowMs += 45_000;
  expect(strikes.refusal(tool)).toBeUndefined();
});

test("strikes further apart than a minute do not add up", () => {
  let nowMs = 0;
  const strikes = new ToolStrikes(() => nowMs);
  for (let index = 0; index < 10; index++) {
    expect(strikes.strike(tool, "looped")).toBe(false);
    nowMs += 31_000;
  }
});

test("what one agent has a tool do is not held against the tool for another agent", () => {
  const strikes = new ToolStrikes(() => 0);
  for (let index = 0; index < 3; index++) strikes.strike(tool, "looped");
  const elsewhere = { ...tool, agent: "other" };
  expect([strikes.refusal(elsewhere), strikes.isApart(elsewhere)]).toEqual([undefined, false]);
});

test("a changed script starts with a clean sheet", () => {
  const strikes = new ToolStrikes(() => 0);
  for (let index = 0; index < 3; index++) strikes.strike(tool, "looped");
  expect(strikes.refusal(tool)?.code).toBe("BUSY");
  expect(strikes.refusal({ ...tool, scriptKey: "v2" })).toBeUndefined();
});

test("a suspect runs apart for a minute, and suspicion alone refuses nothing", () => {
  let nowMs = 0;
  const strikes = new ToolStrikes(() => nowMs);
  for (let index = 0; index < 5; index++) strikes.suspect(tool);
  expect(strikes.isApart(tool)).toBe(true);
  expect(strikes.refusal(tool)).toBeUndefined();
  nowMs = 60_000;
  expect(strikes.isApart(tool)).toBe(false);
});

test("a tool with a strike runs apart for a minute, and after a refusal for another", () => {
  let nowMs = 0;
  const strikes = new ToolStrikes(() => nowMs);
  strikes.strike(tool, "looped");
  expect([strikes.isApart(tool), strikes.isApart({ ...tool, scriptKey: "v2" })]).toEqual([true, false]);
  nowMs = 60_000;
  expect(strikes.isApart(tool)).toBe(false);
  for (let index = 0; index < 3; index++) strikes.strike(tool, "looped");
  nowMs = 179_999;
  expect([strikes.refusal(tool), strikes.isApart(tool)]).toEqual([undefined, true]);
  nowMs = 180_000;
  expect(strikes.isApart(tool)).toBe(false);
});
