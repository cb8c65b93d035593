/**
 * A process that changes a vault where it cannot be written: `vault-faults.ts HOME MODE`. Prints one JSON line per attempt.
 *   make              makes the vault, with A and B
 *   full FILLER PAGES on a file system of its own: fills it with the file, and tries with so many pages left; several with ","
 *   limit             under a limit of the file size, which ends a process that does not ask to be spared
 *   as UID            as that user, with what this user had opened
 */
import { closeSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import { openVault, type Vault } from "../../src/secrets/vault.ts";

const SCOPE = { kind: "workspace", id: "workspace-1" } as const;
const VALUE = new Secret("value-of-a-here");
const OPTIONS = { binding: { hosts: ["api.example.com", "more.example.com"] } };
const PAGE = 4_096;
const FILES = ["master.key", "vault.json", "vault.json.bak"];

const ATTEMPTS: Readonly<Record<string, (vault: Vault) => Promise<unknown>>> = {
  set: (vault) => vault.set(SCOPE, "A", VALUE),
  setNew: (vault) => vault.set(SCOPE, "C", VALUE, OPTIONS),
  rename: (vault) => vault.rename(SCOPE, "B", "D"),
  allow: (vault) => vault.allow(SCOPE, "A", VALUE, ["third.example.com"]),
  deny: (vault) => vault.deny(SCOPE, "A", ["more.example.com"]),
  remove: (vault) => vault.remove(SCOPE, "B"),
  rekey: (vault) => vault.rekey(),
  full: (vault) => vault.rekey({ full: true }),
  recovery: (vault) => vault.newRecoveryKey(),
};

const [home = "", mode = "", argument = "", pageList = ""] = process.argv.slice(2);
const context = { home, config: { keychain: false } };

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    return error instanceof ToolError ? error.code : `not one of ours: ${String(error)}`;
  }
}

function contents(): string {
  return FILES.map((name) => readFileSync(join(home, name), "utf8")).join("\n");
}

/** What one attempt ends with, and what is to be seen afterwards. */
async function attempt(name: string, work: (vault: Vault) => Promise<unknown>): Promise<void> {
  const before = contents();
  const code = await codeOf(() => work(openVault(context)));
  const left = readdirSync(home).filter((file) => !FILES.includes(file));
  const found = await codeOf(async () => {
    const { secret } = Object(
      await openVault(context)
        .resolve(SCOPE.id, ["A"], () => undefined)
        .then((all) => all.get("A")),
    );
    if (!(secret instanceof Secret) || secret.reveal() !== VALUE.reveal()) throw new Error("another value");
  });
  const isUnchanged = code === "done" || contents() === before;
  process.stdout.write(`${JSON.stringify({ name, code, left, isUnchanged, found })}\n`);
}

/** Fills the file system but for so many pages. */
function fill(filler: string, pagesLeft: number): void {
  rmSync(filler, { force: true });
  const descriptor = openSync(filler, "w");
  let size = 0;
  try {
    for (;;) size += writeSync(descriptor, Buffer.alloc(PAGE));
  } catch {
    // Full; that was the aim.
  }
  ftruncateSync(descriptor, Math.max(0, Math.floor(size / PAGE) - pagesLeft) * PAGE);
  closeSync(descriptor);
}

switch (mode) {
  case "make": {
    const vault = openVault(context);
    await vault.set(SCOPE, "A", VALUE, OPTIONS);
    await vault.set(SCOPE, "B", VALUE, OPTIONS);
    break;
  }
  case "full":
    for (const [name, work] of Object.entries(ATTEMPTS)) {
      for (const pages of pageList.split(",").map(Number)) {
        // What went through makes room for the next attempt.
        rmSync(argument, { force: true });
        await codeOf(() => openVault(context).set(SCOPE, "B", VALUE, OPTIONS));
        await codeOf(() => openVault(context).allow(SCOPE, "A", VALUE, ["more.example.com"]));
        for (const extra of ["C", "D"]) await openVault(context).remove(SCOPE, extra);
        fill(argument, pages);
        await attempt(`${name} ${pages}`, work);
      }
    }
    break;
  case "limit":
    // Node gives the signal its usual meaning, which is the end.
    process.on("SIGXFSZ", () => undefined);
    for (const [name, work] of Object.entries(ATTEMPTS)) await attempt(name, work);
    break;
  case "as":
    process.setegid?.(Number(argument));
    process.seteuid?.(Number(argument));
    for (const [name, work] of Object.entries(ATTEMPTS)) await attempt(name, work);
    break;
  default:
    throw new Error(`unknown mode ${mode}`);
}
