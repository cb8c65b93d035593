import { expect, test } from "vitest";
import { decide } from "./policy.ts";

const caller = { agent: "sales", origin: "mcp" } as const;

test.each([
  [{ agents: [], hadAgents: false }, "allow"],
  [{ agents: ["sales", "ops"], hadAgents: true }, "allow"],
  [{ agents: ["ops"], hadAgents: true }, "deny"],
  [{ agents: [], hadAgents: true }, "deny"],
])("%j gives %s", (settings, kind) => {
  expect(decide(settings, caller).kind).toBe(kind);
});
