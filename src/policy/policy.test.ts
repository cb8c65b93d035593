import { expect, test } from "vitest";
import { decide, type PolicySettings } from "./policy.ts";

const caller = { agent: "sales", origin: "mcp" } as const;

test.each([
  [{ agents: [], hadAgents: false }, "allow"],
  [{ agents: ["sales", "ops"], hadAgents: true }, "allow"],
  [{ agents: ["ops"], hadAgents: true }, "deny"],
  [{ agents: [], hadAgents: true }, "deny"],
])("%j gives %s", (settings, kind) => {
  expect(decide(settings, caller).kind).toBe(kind);
});

test("a denial names the agent and what a person does, and no other agent", () => {
  const message = (settings: PolicySettings): string => {
    const decision = decide(settings, caller);
    return decision.kind === "deny" ? decision.message : "";
  };
  const undefinedHere = message({ agents: ["ops"], hadAgents: true });
  expect(undefinedHere).toContain('The agent "sales" may use no tool of this workspace: toolyard.json does not define it.');
  expect(undefinedHere).not.toContain("ops");
  expect(message({ agents: [], hadAgents: true })).toContain("defines no agents now, and this workspace had some.");
  expect(message({ agents: [], hadAgents: true, areUnknown: true })).toContain(
    "toolyard.json cannot be read, so its agents are not known.",
  );
});
