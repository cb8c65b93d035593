import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { parseSettingsFile, type Settings } from "./settings-file.ts";
import { differs, emptySnapshot, type WorkspaceSnapshot } from "./snapshot.ts";

function snapshotWith(settings: object): WorkspaceSnapshot {
  const outcome = parseSettingsFile(JSON.stringify(settings), defaultLimits());
  if (outcome.kind === "broken") throw new Error(outcome.problems[0]?.message);
  return emptySnapshot(outcome.value.settings, 0);
}

test.each<[keyof Settings, object]>([
  ["limits", { limits: { memoryMb: 128 } }],
  ["isolation", { sandbox: { isolation: "call" } }],
  ["network", { network: { timeout: 5 } }],
  ["prefix", { prefix: "team_" }],
  ["repair", { repair: false }],
  ["agents", { agents: [{ agentId: "a" }, { agentId: "b" }] }],
  ["agentLimits", { agents: [{ agentId: "a", limits: { resultCharacters: 5_000 } }] }],
])("an edit of %s in toolyard.json makes another moment", (_name, settings) => {
  const before = snapshotWith({ agents: [{ agentId: "a" }] });
  expect(differs(before, snapshotWith({ agents: [{ agentId: "a" }], ...settings }))).toBe(true);
  expect(differs(before, { ...before, generation: 7, loadedAtMs: 9 })).toBe(false);
});

test("an agent's limit of results that is only raised is another moment too", () => {
  const withLimit = (resultCharacters: number): WorkspaceSnapshot =>
    snapshotWith({ agents: [{ agentId: "a", limits: { resultCharacters } }] });
  expect(differs(withLimit(5_000), withLimit(6_000))).toBe(true);
  expect(differs(withLimit(5_000), withLimit(5_000))).toBe(false);
});
