/** Random sequences of operations on a vault, against a map; with crashes in test/long/vault.test.ts. */
import { copyFileSync, existsSync, mkdtempDisposableSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openVault } from "../../src/secrets/vault.ts";
import { applyToModel, applyToVault, modelText, operations, type VaultModel, vaultText } from "../support/vault-model.ts";

/** `reopen`: with another object. `interrupted`: as after a change of the key that stopped before its last step. */
const step = fc.oneof(
  { weight: 8, arbitrary: operations() },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("interrupted" as const) }) },
);

test("any sequence of operations leaves the vault, seen anew and by one that stays open, as a map would be", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      using home = mkdtempDisposableSync(join(tmpdir(), "model-"));
      const context = { home: home.path, config: { keychain: false } };
      const open = [openVault(context), openVault(context)];
      let model: VaultModel = new Map();
      let exists = false;
      for (const operation of steps) {
        if (operation.kind === "reopen") open[0] = openVault(context);
        else if (operation.kind === "interrupted") interrupt(home.path);
        else {
          const expected = applyToModel(model, operation);
          const outcome = await applyToVault(open[0] ?? openVault(context), operation);
          if (expected.outcome !== "unknown") expect(outcome, JSON.stringify(operation)).toBe(expected.outcome);
          else expect(outcome).toBe(exists ? "done" : "INVALID_REQUEST");
          exists ||= expected.outcome === "done";
          ({ model } = expected);
        }
      }
      const seen = [await vaultText(openVault(context)), ...(await Promise.all(open.map(vaultText)))];
      expect(seen).toEqual(Array(3).fill(modelText(model)));
    }),
    { numRuns: 8 },
  );
});

/** The key beside its place, and nothing or another one in it. */
function interrupt(home: string): void {
  const path = join(home, "master.key");
  if (!existsSync(path) || existsSync(`${path}.next`)) return;
  copyFileSync(path, `${path}.next`);
  rmSync(path);
}
