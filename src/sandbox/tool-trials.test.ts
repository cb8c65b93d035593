import { expect, test } from "vitest";
import { CALLS_OF_TRIAL, ToolTrials } from "./tool-trials.ts";

const tool = { agent: "default", tool: "a", scriptKey: "v1" };

function proven(): ToolTrials {
  const trials = new ToolTrials();
  for (let call = 1; call < CALLS_OF_TRIAL; call++) trials.endedWell(tool);
  expect(trials.isProven(tool)).toBe(false);
  trials.endedWell(tool);
  expect(trials.isProven(tool)).toBe(true);
  return trials;
}

test("a tool is proven after five calls that ended well, for this agent and this script only", () => {
  const trials = proven();
  expect(CALLS_OF_TRIAL).toBe(5);
  expect(trials.isProven({ ...tool, agent: "other" })).toBe(false);
  expect(trials.isProven({ ...tool, scriptKey: "v2" })).toBe(false);
});

test("a changed script begins again, and so does one that cost its host", () => {
  const changed = proven();
  changed.endedWell({ ...tool, scriptKey: "v2" });
  expect(changed.isProven(tool)).toBe(false);
  const costly = proven();
  costly.restart(tool);
  expect(costly.isProven(tool)).toBe(false);
});

test("of more than four thousand tools the oldest is forgotten", () => {
  const trials = proven();
  for (let n = 0; n < 4_000; n++) trials.endedWell({ ...tool, tool: `t${n}` });
  expect(trials.isProven(tool)).toBe(false);
});
