// The vault under everything that can happen to a file: every bit changed, every length, writers that are killed, writers at once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempDisposableSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { ToolError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import { openVault } from "../../src/secrets/vault.ts";
import { expectWholeVault, killedSession, SESSION } from "../support/vault-kills.ts";
import { applyToModel, modelText, sampleOperations, type VaultModel, vaultText } from "../support/vault-model.ts";
import { runSeed, seededRandom, writeEvidence } from "./evidence.ts";

const KILLS = 200;
const MODEL_KILLS = 60;
const MODEL_OPERATIONS = 400;
const WRITERS = 6;
const WRITES = 50;

const FAULTS = fileURLToPath(new URL("../support/vault-faults.ts", import.meta.url));
const HERE = { kind: "workspace", id: "workspace-1" } as const;
const binding = { hosts: ["api.example.com"], header: "authorization", format: "Bearer %s", methods: ["GET"] };
const seed = runSeed();
const figures: Record<string, unknown> = { seed };

// Not after a run of some of the tests.
afterAll(() => {
  if (["tampering", "writers", "kills", "model"].every((name) => name in figures)) writeEvidence("vault", figures);
});

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), "vault-long-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** What opening the vault and reading A and B ends with. */
async function outcome(home: string): Promise<string> {
  using vault = openVault({ home, config: { keychain: false } });
  try {
    await vault.resolve("workspace-1", ["A", "B"], () => undefined);
    return "opened";
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

test("every bit of every byte changed, and every truncation: none opens", async () => {
  const home = temporaryHome();
  {
    using vault = openVault({ home, config: { keychain: false } });
    await vault.set(HERE, "A", new Secret("value-of-a-here"), { binding });
    await vault.set(HERE, "B", new Secret("value-of-b-here"), { binding: { hosts: ["b.example.com"] } });
    await vault.set({ kind: "global" }, "A", new Secret("global-value-a"), { binding });
    await vault.remove(HERE, "A");
    await vault.set(HERE, "A", new Secret("value-of-a-again"), { binding });
  }
  const path = join(home, "vault.json");
  const bytes = readFileSync(path);
  const codes: Record<string, number> = {};
  const note = async (content: Uint8Array): Promise<void> => {
    writeFileSync(path, content);
    const code = await outcome(home);
    codes[code] = (codes[code] ?? 0) + 1;
  };
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] ?? 0) ^ (1 << bit);
      await note(changed);
    }
  }
  for (let length = 0; length < bytes.length; length++) await note(bytes.subarray(0, length));
  writeFileSync(path, bytes);
  figures.tampering = { bytes: bytes.length, variants: bytes.length * 9, codes };
  expect(Object.values(codes).reduce((sum, count) => sum + count, 0)).toBe(bytes.length * 9);
  expect(codes).not.toHaveProperty("opened");
  expect(Object.keys(codes).filter((code) => !["VAULT_TAMPERED", "VAULT_KEY", "STORE_ERROR", "FILE_VERSION"].includes(code))).toEqual([]);
  expect(await outcome(home)).toBe("opened");
});

test(`${WRITERS} processes that write ${WRITES} secrets each, from the first use on, keep all`, async () => {
  const home = temporaryHome();
  const startMs = performance.now();
  const children = Array.from({ length: WRITERS }, (_, index) =>
    spawn(process.execPath, [SESSION, home, "write", `P${index}`, String(WRITES)], { stdio: ["ignore", "ignore", "inherit"] }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  expect(codes).toEqual(Array(WRITERS).fill(0));
  using vault = openVault({ home, config: { keychain: false } });
  const names = vault.list().map((entry) => entry.name);
  const found = await vault.resolve("workspace-1", names, () => undefined);
  figures.writers = { processes: WRITERS, writesEach: WRITES, kept: names.length, seconds };
  expect(names).toHaveLength(WRITERS * WRITES);
  expect([...found.values()].every((item) => item.kind === "found")).toBe(true);
  expect(readdirSync(home).sort()).toEqual(["master.key", "vault.json", "vault.json.bak"]);
});

test(`${KILLS} writers killed at random moments, half of them while they change keys: the value before or the new one, every time`, async () => {
  const random = seededRandom(seed);
  const home = temporaryHome();
  let recoveryKey: Secret | undefined;
  {
    using vault = openVault({ home, config: { keychain: false } });
    await vault.set(HERE, "TOKEN", new Secret("value-000000"), { binding: { hosts: ["api.example.com"] } });
    recoveryKey = await vault.newRecoveryKey();
  }
  const betweenKeys: Record<string, number> = {};
  let stored = 0;
  for (let round = 0; round < KILLS; round++) {
    const kind = ["overwrite", "rekey", "overwrite", "full"][round % 4] ?? "overwrite";
    const moment = { lines: 1 + Math.floor(random() * 5), afterMs: random() * 12 };
    const said = await killedSession([home, kind, "TOKEN"], moment);
    stored += said.length;
    const { wasBetweenKeys } = await expectWholeVault(home, said.length);
    if (wasBetweenKeys) betweenKeys[kind] = (betweenKeys[kind] ?? 0) + 1;
  }
  figures.kills = { kills: KILLS, writesBeforeThem: stored, keyToComeBesideThePresentOne: betweenKeys };
  // The moments in between must have been met, or nothing was shown of them.
  expect(Object.keys(betweenKeys).length).toBeGreaterThan(0);
  // A full change makes another recovery key, and nobody has seen those of the killed ones.
  await expect(openVault({ home, config: { keychain: false } }).rekey({ recoveryKey, to: { kind: "key-file" } })).rejects.toMatchObject({
    code: "VAULT_KEY",
  });
});

test(`${MODEL_KILLS} random sequences of operations, each killed within: the vault is as after the last operation or the next`, async () => {
  const random = seededRandom(seed + 1);
  let operations = 0;
  const ended: Record<string, number> = {};
  for (let round = 0; round < MODEL_KILLS; round++) {
    const home = temporaryHome();
    const steps = sampleOperations(seed + round, MODEL_OPERATIONS);
    const moment = { lines: 1 + Math.floor(random() * 60), afterMs: random() * 8 };
    const said = await killedSession([home, "model", String(seed + round), String(MODEL_OPERATIONS)], moment);
    const models: VaultModel[] = [new Map()];
    for (const [index, step] of steps.slice(0, said.length + 1).entries()) {
      const { model, outcome } = applyToModel(models.at(-1) ?? new Map(), step);
      models.push(model);
      // Without a vault a change of the key is refused; with one whose last secret was removed it is done.
      if (index < said.length && outcome !== "unknown") expect(said[index], `round ${round}, ${JSON.stringify(step)}`).toBe(outcome);
    }
    operations += said.length;
    const seen = existsSync(join(home, "vault.json")) ? await vaultText(openVault({ home, config: { keychain: false } })) : "";
    const before = modelText(models[said.length] ?? new Map());
    const after = modelText(models[said.length + 1] ?? models[said.length] ?? new Map());
    expect([before, after], `round ${round}`).toContain(seen);
    const how = before === after ? "same" : seen === before ? "before" : "after";
    ended[how] = (ended[how] ?? 0) + 1;
    rmSync(home, { recursive: true });
  }
  figures.model = { kills: MODEL_KILLS, operations, ended };
});

test("on a full disk a change is done or refused, at every amount of space left", async (context) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "vault-long-"));
  const mount = 'mount -t tmpfs -o size=128k,mode=700 none "$1" && mkdir -m 700 "$1/home"';
  const script = `${mount} && "$0" "$2" "$1/home" make && exec "$0" "$2" "$1/home" full "$1/filler" 0,1,2,3,4,5,6,7,8,9`;
  const child = spawn("unshare", ["-Urm", "sh", "-c", script, process.execPath, folder.path, FAULTS], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = (await text(child.stdout)).split("\n").filter((line) => line !== "");
  if (lines.length === 0) return context.skip("nothing may be mounted here; test/security/vault-faults.test.ts limits the size of files");
  const codes: Record<string, number> = {};
  for (const line of lines) {
    const { name, code, left, isUnchanged, found } = JSON.parse(line);
    codes[code] = (codes[code] ?? 0) + 1;
    expect({ left, isUnchanged, found }, name).toEqual({ left: [], isUnchanged: true, found: "done" });
  }
  figures.fullDisk = { attempts: lines.length, codes };
  expect(lines).toHaveLength(90);
  expect(Object.keys(codes).sort()).toEqual(["STORE_ERROR", "done"]);
});

/** What vault-session.ts prints for an operation in a session with an unlocked Secret Service; undefined where that is not installed. */
async function inKeychainSession(...operation: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[] | undefined> {
  const isThere = (program: string): boolean =>
    (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
  if (!isThere("gnome-keyring-daemon") || !isThere("dbus-run-session")) return undefined;
  const home = temporaryHome();
  mkdirSync(join(home, "toolyard"), { mode: 0o700 });
  const script = 'printf %s a-password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 && exec "$0" "$@"';
  const args = ["--", "sh", "-c", script, process.execPath, SESSION, join(home, "toolyard"), ...operation];
  const env = { PATH: process.env.PATH, HOME: home };
  const child = spawn("dbus-run-session", args, { env, stdio: ["ignore", "pipe", "ignore"] });
  return (await text(child.stdout)).split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

test("a real Secret Service keeps the key through changes of one and of all keys", async (context) => {
  const answers = await inKeychainSession("keychain", "all");
  if (answers === undefined) return context.skip("gnome-keyring and dbus are not installed");
  const moves = answers.filter((answer) => "to" in answer).map(({ to, value, files }) => [Object(to).kind, value, Object(files).length]);
  figures.keychain = { changes: moves.length };
  expect(moves).toEqual([
    ["keychain", "value-of-token", 2],
    ["keychain", "value-of-token", 2],
    ["key-file", "value-of-token", 3],
    ["keychain", "value-of-token", 2],
  ]);
});

test("secrets rekey moves the key into a real Secret Service, and out again", async (context) => {
  const answers = await inKeychainSession("commands");
  if (answers === undefined) return context.skip("gnome-keyring and dbus are not installed");
  const files = ["vault.json", "vault.json.bak"];
  const value = "value-of-token";
  expect(answers).toEqual([
    { from: "key-file", to: "keychain", full: false, value, files },
    { from: "keychain", to: "key-file", full: false, value, files: ["master.key", ...files] },
  ]);
});
