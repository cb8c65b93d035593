import { expect, test } from "vitest";
import { ToolError } from "../core/errors.ts";
import { checkProbes } from "./check/list-of-probes.ts";
import { doctorProbes } from "./doctor/list-of-probes.ts";
import { type Probe, runProbes } from "./probe.ts";

test("a probe that throws becomes a finding with its code, and the others still run", async () => {
  const fine: Probe<undefined> = { name: "fine", about: "all is well", code: "NODE", run: () => [] };
  const throws: Probe<undefined> = {
    name: "vault",
    about: "the vault opens",
    code: "VAULT",
    run: async () => {
      throw new ToolError("VAULT_LOCKED", "The keychain is locked.");
    },
  };
  expect(await runProbes([throws, fine], undefined)).toEqual([
    {
      name: "vault",
      about: "the vault opens",
      problems: [{ code: "VAULT", severity: "error", place: { kind: "none" }, message: "vault: VAULT_LOCKED: The keychain is locked." }],
    },
    { name: "fine", about: "all is well", problems: [] },
  ]);
});

test("no two probes of a list have the same name", () => {
  for (const list of [checkProbes, doctorProbes]) {
    const names = list.map((probe) => probe.name);
    expect(new Set(names).size).toBe(names.length);
  }
});

test("a note of a probe is told where it finds nothing, and not where it finds something", async () => {
  const problem = { code: "NODE", severity: "warning", place: { kind: "none" }, message: "old" } as const;
  const probe = (problems: readonly (typeof problem)[]): Probe<undefined> => ({
    name: "node",
    about: "fits",
    code: "NODE",
    run: () => problems,
    note: () => "looked at by hand",
  });
  expect(await runProbes([probe([]), probe([problem])], undefined)).toEqual([
    { name: "node", about: "fits", problems: [], note: "looked at by hand" },
    { name: "node", about: "fits", problems: [problem] },
  ]);
});
