/** The real keychain of Linux, a Secret Service, in a session bus of its own; and how the vault fails where there is none. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempDisposableSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { keychainEnvironment } from "../../src/secrets/keychain.ts";

const SESSION = fileURLToPath(new URL("../support/vault-session.ts", import.meta.url));
const CHILD = fileURLToPath(new URL("../../src/secrets/keychain-child.ts", import.meta.url));

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

const isLinux = process.platform === "linux";
const hasDaemon = isLinux && isInstalled("gnome-keyring-daemon") && isInstalled("dbus-run-session");

/** Runs its arguments once the daemon of this session is unlocked. */
const UNLOCKED = 'printf %s a-password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 && exec "$0" "$@"';

function environment(home: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, ...more };
}

async function lines(child: ChildProcess): Promise<readonly unknown[]> {
  if (child.stdout === null) throw new Error("no output to read");
  return (await text(child.stdout)).split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

/** A bus that accepts connections and never says a word, as a desktop does that waits for somebody to type a password. */
async function silentBus(folder: string): Promise<string> {
  const path = join(folder, "bus");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `unix:path=${path}`;
}

/** A vault whose head says that its key is in the keychain. */
function writeKeychainVault(home: string): void {
  const base64 = (bytes: number): string => randomBytes(bytes).toString("base64");
  const head = { format: "toolyard-vault", v: 1, id: "0123456789abcdefghijklmnop", key: { source: "keychain" }, wrap: base64(60) };
  writeFileSync(join(home, "vault.json"), `${JSON.stringify({ ...head, gen: 1, items: [], mac: base64(32) }, null, 2)}\n`, { mode: 0o600 });
}

test.skipIf(!isLinux)("without a session bus the vault is locked at once, and a new one is not made", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "keychain-"));
  expect(await lines(spawn(process.execPath, [SESSION, home.path, "keychain"], { env: environment(home.path) }))).toEqual([
    { code: "VAULT_LOCKED" },
  ]);
  expect(existsSync(join(home.path, "vault.json"))).toBe(false);
  writeKeychainVault(home.path);
  const [answer] = await lines(spawn(process.execPath, [SESSION, home.path, "resolve"], { env: environment(home.path) }));
  expect(answer).toMatchObject({ code: "VAULT_LOCKED" });
});

test.skipIf(!isLinux)("a keychain that never answers holds the library for ever, and the vault for 5 s", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "keychain-"));
  const bus = await silentBus(home.path);
  writeKeychainVault(home.path);
  const env = environment(home.path, { DBUS_SESSION_BUS_ADDRESS: bus });
  const unguarded = spawn(process.execPath, [CHILD, "get", "vault x"], { env, stdio: ["ignore", "pipe", "ignore"] });
  let hasEnded = false;
  unguarded.on("exit", () => {
    hasEnded = true;
  });
  const [answer] = await lines(spawn(process.execPath, [SESSION, home.path, "resolve"], { env }));
  expect(hasEnded).toBe(false);
  unguarded.kill("SIGKILL");
  expect(answer).toEqual({ code: "VAULT_LOCKED", ms: expect.any(Number) });
  const { ms } = answer as { readonly ms: number }; // checked on the line above
  expect(ms).toBeGreaterThan(4_900);
  expect(ms).toBeLessThan(6_000);
});

test.skipIf(!isLinux)(
  "the process that asks the keychain gets no NODE_OPTIONS, which would load code into it, and no other variables",
  async () => {
    using home = mkdtempDisposableSync(join(tmpdir(), "keychain-"));
    writeKeychainVault(home.path);
    // Writes down what is in the environment of the process that handles the key, if it gets there.
    const spy = join(home.path, "spy.cjs");
    const seen = join(home.path, "seen");
    const body = "if (process.argv[1]?.includes('keychain-child')) require('node:fs').writeFileSync(process.env.SPY ?? 'none', 'seen');";
    writeFileSync(spy, body);
    const env = environment(home.path, { NODE_OPTIONS: `--require ${spy}`, SPY: seen });
    await lines(spawn(process.execPath, [SESSION, home.path, "resolve-inheriting"], { env }));
    expect(existsSync(seen)).toBe(true);
    rmSync(seen);
    const [answer] = await lines(spawn(process.execPath, [SESSION, home.path, "resolve"], { env }));
    expect([answer, existsSync(seen)]).toEqual([{ code: "VAULT_LOCKED", ms: expect.any(Number) }, false]);
    expect(
      keychainEnvironment({ ...env, API_KEY: "x", TOOLYARD_PASSPHRASE: "x", LD_PRELOAD: "x", DBUS_SESSION_BUS_ADDRESS: "bus" }),
    ).toEqual({
      PATH: process.env.PATH,
      HOME: home.path,
      DBUS_SESSION_BUS_ADDRESS: "bus",
    });
  },
);

// Changes of the key in it: test/long/vault.test.ts. Skipped where gnome-keyring and dbus are not installed (apt-get install gnome-keyring dbus).
test.skipIf(!hasDaemon)("a real Secret Service keeps the key: set, read, removed, and locked after that", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "keychain-"));
  const args = ["--", "sh", "-c", UNLOCKED, process.execPath, SESSION, join(home.path, "toolyard"), "keychain"];
  const answers = await lines(spawn("dbus-run-session", args, { env: environment(home.path), stdio: ["ignore", "pipe", "ignore"] }));
  expect(answers).toEqual([
    { kind: "stored", binding: { hosts: ["api.example.com"] }, keySource: { kind: "keychain" } },
    { value: "value-of-token", ms: expect.any(Number) },
    { removed: [true, false] },
    { code: "VAULT_LOCKED", ms: expect.any(Number) },
  ]);
});

test.skipIf(!hasDaemon)("a Secret Service that nobody unlocked leaves the vault locked", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "keychain-"));
  writeKeychainVault(home.path);
  const args = ["--", process.execPath, SESSION, home.path, "resolve"];
  const [answer] = await lines(spawn("dbus-run-session", args, { env: environment(home.path), stdio: ["ignore", "pipe", "ignore"] }));
  expect(answer).toMatchObject({ code: "VAULT_LOCKED" });
});
