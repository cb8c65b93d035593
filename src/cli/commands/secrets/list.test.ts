import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { secretBench } from "../../../../test/support/secret-cli.ts";

const VALUE = "canary-value-of-the-test";

test("list refuses a vault whose hosts were changed outside, and without the key says that it cannot know", async () => {
  const bench = secretBench();
  await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com"], VALUE);
  await bench.run(["secrets", "rekey", "--to", "passphrase"], "correct horse battery\n");
  const vault = join(bench.home, "vault.json");
  const passphrase = { TOOLYARD_PASSPHRASE: "correct horse battery" };
  const list = (env = {}) => bench.run(["secrets", "list", "--json"], "", env);
  const verified = async (env = {}): Promise<unknown> => JSON.parse((await list(env)).stdout).verified;
  expect([await verified(passphrase), await verified(), await verified({ TOOLYARD_PASSPHRASE: "another long passphrase" })]).toEqual([
    true,
    false,
    false,
  ]);
  expect((await bench.run(["secrets", "list"])).stderr).toMatch(/^Not verified: .* VAULT_LOCKED: /);
  writeFileSync(vault, readFileSync(vault, "utf8").replaceAll("api.example.com", "api.example.net"));
  expect([await list(passphrase).then(({ code, stderr }) => [code, stderr.split(" ")[0]]), await verified()]).toEqual([
    [1, "VAULT_TAMPERED"],
    false,
  ]);
});

test("list says nothing of a check where nothing is stored, or where the vault is as it was written", async () => {
  const bench = secretBench();
  expect((await bench.run(["secrets", "list"])).stderr).not.toContain("erified");
  await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com"], VALUE);
  const { code, stdout, stderr } = await bench.run(["secrets", "list"]);
  expect([code, stdout.split(" ")[0], stderr]).toEqual([0, "API_KEY", ""]);
});
