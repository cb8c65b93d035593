import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { openVault } from "../../src/secrets/vault.ts";
import { expectWholeVault, killedSession, SESSION } from "../support/vault-kills.ts";

const here = { kind: "workspace", id: "workspace-1" } as const;
const binding = { hosts: ["api.example.com"] };

function temporaryHome(): ReturnType<typeof mkdtempDisposableSync> {
  return mkdtempDisposableSync(join(tmpdir(), "vault-"));
}

test("four processes that write ten secrets each, from the first use on, lose none", async () => {
  using home = temporaryHome();
  const names = ["A", "B", "C", "D"];
  const children = names.map((name) =>
    spawn(process.execPath, [SESSION, home.path, "write", name, "10"], { stdio: ["ignore", "ignore", "inherit"] }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0, 0]);
  using vault = openVault({ home: home.path, config: { keychain: false } });
  const stored = names.flatMap((name) => Array.from({ length: 10 }, (_, index) => `${name}_${index + 1}`));
  expect(vault.list().map((entry) => entry.name)).toEqual(stored.toSorted());
  const found = await vault.resolve("workspace-1", stored, () => undefined);
  expect([...found.values()].every((item) => item.kind === "found")).toBe(true);
  expect(readdirSync(home.path).sort()).toEqual(["master.key", "vault.json", "vault.json.bak"]);
});

test.each(["overwrite", "full"])(
  "a writer (%s) that is killed leaves the value before or the new one, a backup that opens, and the next write works at once",
  async (operation) => {
    using home = temporaryHome();
    using vault = openVault({ home: home.path, config: { keychain: false } });
    await vault.set(here, "TOKEN", new Secret("value-000000"), { binding });
    for (let round = 0; round < 3; round++) {
      const said = await killedSession([home.path, operation, "TOKEN"], { lines: 1 + round, afterMs: round });
      await expectWholeVault(home.path, said.length);
    }
  },
);

test("the same kills leave a broken file if a file is just written over", async () => {
  using home = temporaryHome();
  const path = join(home.path, "plain.json");
  const script = `
    const fs = require("node:fs");
    for (let n = 0; ; n++) {
      const file = fs.openSync(${JSON.stringify(path)}, "w");
      fs.writeSync(file, '{"half":');
      process.stdout.write("x");
      fs.writeSync(file, n + "}");
      fs.closeSync(file);
    }`;
  const isWhole = (): boolean => {
    try {
      JSON.parse(readFileSync(path, "utf8"));
      return true;
    } catch {
      // That it does not parse is the answer.
      return false;
    }
  };
  let broken = 0;
  for (let round = 0; round < 20 && broken === 0; round++) {
    writeFileSync(path, "{}");
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", () => child.kill("SIGKILL"));
    await once(child, "exit");
    if (!isWhole()) broken++;
  }
  expect(broken).toBe(1);
});

test("a write whose lock was taken over meanwhile changes nothing", async () => {
  using home = temporaryHome();
  using first = openVault({ home: home.path, config: { keychain: false } });
  await first.set(here, "TOKEN", new Secret("value-of-token"), { binding });
  const before = readFileSync(join(home.path, "vault.json"), "utf8");
  // The clock is asked while the lock is held: there another holder's lock is put in place of ours.
  const lock = JSON.stringify({ token: "0123456789abcdefghijklmnop", pid: process.pid, host: "another-machine" });
  const robbed = openVault({
    home: home.path,
    config: { keychain: false },
    now: () => {
      writeFileSync(join(home.path, "vault.lock"), lock);
      return 1;
    },
  });
  await expect(robbed.set(here, "TOKEN", new Secret("value-of-robbed"))).rejects.toMatchObject({ code: "STORE_ERROR" });
  expect(readFileSync(join(home.path, "vault.json"), "utf8")).toBe(before);
  expect(readFileSync(join(home.path, "vault.lock"), "utf8")).toBe(lock);
});
