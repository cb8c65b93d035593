import { expect, test } from "vitest";
import { chooseCaller } from "./agent-choice.ts";
import { UsageError } from "./usage-error.ts";

test.each([
  [[], undefined, "default"],
  [[], "any", "any"],
  [["a"], undefined, "a"],
  [["a", "default"], undefined, "default"],
  [["a", "b"], "b", "b"],
])("of agents %j with --agent %s the caller is %s", (agents, agent, expected) => {
  expect(chooseCaller({ agents: () => agents }, agent === undefined ? {} : { agent }, "cli")).toEqual({ agent: expected, origin: "cli" });
});

test("several agents without a default, and a name that is not defined, are refused with the names", () => {
  expect(() => chooseCaller({ agents: () => ["a", "b"] }, {}, "cli")).toThrow(UsageError);
  expect(() => chooseCaller({ agents: () => ["a", "b"] }, {}, "cli")).toThrow("a | b");
  expect(() => chooseCaller({ agents: () => ["a", "b"] }, { agent: "c" }, "cli")).toThrow("Defined: a, b.");
});
