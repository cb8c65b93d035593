import { expect, test } from "vitest";
import { type AgentFacts, chooseCaller } from "./agent-choice.ts";
import { UsageError } from "./usage-error.ts";

/** A workspace with these agents. */
function having(agents: readonly string[], state: "ok" | "empty" = "ok"): AgentFacts {
  return { agents: () => agents, workspace: { current: () => ({ state }) } };
}

test.each([
  [[], undefined, "default"],
  [[], "default", "default"],
  [["a"], undefined, "a"],
  [["a", "default"], undefined, "default"],
  [["a", "b"], "b", "b"],
])("of agents %j with --agent %s the caller is %s", (agents, agent, expected) => {
  expect(chooseCaller(having(agents), agent === undefined ? {} : { agent }, "cli")).toEqual({ agent: expected, origin: "cli" });
});

test("several agents without a default, and a name that is not defined, are refused with the names", () => {
  expect(() => chooseCaller(having(["a", "b"]), {}, "cli")).toThrow(UsageError);
  expect(() => chooseCaller(having(["a", "b"]), {}, "cli")).toThrow("a | b");
  expect(() => chooseCaller(having(["a", "b"]), { agent: "c" }, "cli")).toThrow("Defined: a, b.");
});

test("a name in a workspace without agents is refused, but not while its files cannot be read", () => {
  expect(() => chooseCaller(having([]), { agent: "bob" }, "cli")).toThrow(UsageError);
  expect(() => chooseCaller(having([]), { agent: "bob" }, "cli")).toThrow('"agents": [{ "agentId": "bob" }]');
  expect(chooseCaller(having([], "empty"), { agent: "bob" }, "mcp")).toEqual({ agent: "bob", origin: "mcp" });
});
