/** Processes that write a vault and are killed in the midst of it, and what must be true afterwards. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempDisposableSync, readdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { openVault } from "../../src/secrets/vault.ts";

/** The process of `vault-session.ts`. */
export const SESSION = fileURLToPath(new URL("./vault-session.ts", import.meta.url));

const HERE = { kind: "workspace", id: "workspace-1" } as const;

/** When the process is killed: so long after it has said so many lines, of which it has none left then or goes on. */
export interface KillMoment {
  readonly lines: number;
  readonly afterMs: number;
}

/** Starts the session and kills it then. Gives all lines it said before it died. */
export async function killedSession(args: readonly string[], { lines, afterMs }: KillMoment): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, [SESSION, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  let isEnding = false;
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (isEnding || said.split("\n").length - 1 < lines) continue;
    isEnding = true;
    // The child goes on meanwhile; each time the end meets it at another point.
    void delay(afterMs).then(() => child.kill("SIGKILL"));
  }
  // The last line may be half.
  return said
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The number in the stored value of TOKEN; `home` may be a copy. */
export async function storedNumber(home: string): Promise<number> {
  using vault = openVault({ home, config: { keychain: false } });
  const found = (await vault.resolve(HERE.id, ["TOKEN"], () => undefined)).get("TOKEN");
  return found?.kind === "found" ? Number(found.secret.reveal().replace("value-", "")) : Number.NaN;
}

/**
 * After a kill of a session that had stored that number last: the vault holds it or the next one, the backup opens with
 * the key in force, and the next write works at once and clears up. Gives whether there was a key beside its place.
 */
export async function expectWholeVault(home: string, stored: number): Promise<{ readonly wasBetweenKeys: boolean }> {
  const number = await storedNumber(home);
  // A write may have been finished without its line having come through.
  expect([stored, stored + 1]).toContain(number);
  const wasBetweenKeys = existsSync(join(home, "master.key.next"));
  await expectBackupOpens(home, number);
  using vault = openVault({ home, config: { keychain: false } });
  const startMs = performance.now();
  await vault.set(HERE, "TOKEN", new Secret("value-000000"));
  expect(performance.now() - startMs).toBeLessThan(4_000);
  expect(await storedNumber(home)).toBe(0);
  expect(readdirSync(home).sort()).toEqual(["master.key", "vault.json", "vault.json.bak"]);
  return { wasBetweenKeys };
}

async function expectBackupOpens(home: string, number: number): Promise<void> {
  if (!existsSync(join(home, "vault.json.bak"))) return;
  using copy = mkdtempDisposableSync(join(tmpdir(), "backup-"));
  cpSync(home, copy.path, { recursive: true });
  renameSync(join(copy.path, "vault.json.bak"), join(copy.path, "vault.json"));
  expect([0, number - 1, number]).toContain(await storedNumber(copy.path));
}
