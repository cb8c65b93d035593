/**
 * A process of its own for tests of the vault: `vault-session.ts HOME OPERATION [ARGUMENT…]`. Prints JSON lines.
 *   write NAME COUNT   sets NAME_1 … NAME_COUNT
 *   overwrite NAME     sets NAME to value-000001, value-000002, … until it is killed; prints each number once it is stored
 *   rekey NAME, full NAME   the same, with a change of the key, or of all keys, after each
 *   model SEED COUNT   does so many operations of vault-model.ts, the same for the same seed; prints each outcome
 *   keychain           stores a secret in a vault whose key is in the keychain, reads it back with a second vault
 *   keychain all       and changes its key: within the keychain, to a key file, and back
 *   commands           moves the key of a vault by the command of a person, into the keychain and out again; prints each end
 *   resolve            reads that secret
 *   resolve-inheriting the same, with the whole environment for the process that asks the keychain
 */
import { readdirSync, readFileSync } from "node:fs";
import { ToolError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import { keychainEnvironment, systemKeychain } from "../../src/secrets/keychain.ts";
import { openVault, type Vault } from "../../src/secrets/vault.ts";
import type { Scope } from "../../src/secrets/vault-file.ts";

const SCOPE: Scope = { kind: "workspace", id: "workspace-1" };
const OPTIONS = { binding: { hosts: ["api.example.com"] } };

const [home = "", operation = "", name = "", count = ""] = process.argv.slice(2);

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

type Answer =
  | { readonly value: string | undefined; readonly ms: number }
  | { readonly code: string; readonly value?: never; readonly ms: number };

async function resolve(vault: Vault): Promise<Answer> {
  const startMs = performance.now();
  try {
    const found = (await vault.resolve("workspace-1", ["TOKEN"], () => undefined)).get("TOKEN");
    return { value: found?.kind === "found" ? found.secret.reveal() : found?.kind, ms: performance.now() - startMs };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { code: error.code, ms: performance.now() - startMs };
  }
}

async function keychain(): Promise<void> {
  const options = { home, config: { keychain: true, keychainEnvironment: keychainEnvironment(process.env) } };
  const first = openVault(options);
  try {
    const { recoveryKey: _, ...stored } = await first.set(SCOPE, "TOKEN", new Secret("value-of-token"), OPTIONS);
    say(stored);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    say({ code: error.code });
    return;
  }
  say(await resolve(openVault(options)));
  const changes = [{}, { full: true }, { to: { kind: "key-file" } }, { to: { kind: "keychain" } }] as const;
  for (const change of name === "all" ? changes : []) {
    const { to } = await openVault(options).rekey(change);
    const { value } = await resolve(openVault(options));
    say({ to, value, files: readdirSync(home).sort() });
  }
  const id: unknown = JSON.parse(readFileSync(`${home}/vault.json`, "utf8")).id;
  const entries = ["current", "current"] as const;
  const removed: boolean[] = [];
  for (const entry of entries) removed.push(await systemKeychain().remove(String(id), entry));
  say({ removed });
  say(await resolve(openVault(options)));
}

async function commands(): Promise<void> {
  // Only here: the command line loads slowly.
  const { cliIn } = await import("./cli.ts");
  const cli = cliIn(process.cwd(), home);
  const { HOME = "", PATH = "", DBUS_SESSION_BUS_ADDRESS = "" } = process.env;
  for (const to of ["keychain", "key-file"]) {
    const { code, stdout, stderr } = await cli(["secrets", "rekey", "--to", to, "--json"], { HOME, PATH, DBUS_SESSION_BUS_ADDRESS });
    const { advice: _, ...report } = code === 0 ? JSON.parse(stdout) : { stderr };
    const { value } = await resolve(openVault({ home, config: { keychain: true, keychainEnvironment: keychainEnvironment(process.env) } }));
    say({ ...report, value, files: readdirSync(home).sort() });
  }
}

switch (operation) {
  case "write": {
    const vault = openVault({ home, config: { keychain: false } });
    for (let number = 1; number <= Number(count); number++)
      await vault.set(SCOPE, `${name}_${number}`, new Secret(`value-of-${name}-${number}`), OPTIONS);
    break;
  }
  case "overwrite":
  case "rekey":
  case "full": {
    const vault = openVault({ home, config: { keychain: false } });
    for (let number = 1; ; number++) {
      await vault.set(SCOPE, name, new Secret(`value-${String(number).padStart(6, "0")}`), OPTIONS);
      say(number);
      if (operation !== "overwrite") await vault.rekey({ full: operation === "full" });
    }
  }
  case "model": {
    // Only here: loading it takes as long as all else together.
    const { applyToVault, sampleOperations } = await import("./vault-model.ts");
    const vault = openVault({ home, config: { keychain: false } });
    for (const step of sampleOperations(Number(name), Number(count))) say(await applyToVault(vault, step));
    break;
  }
  case "keychain":
    await keychain();
    break;
  case "commands":
    await openVault({ home, config: { keychain: false } }).set(SCOPE, "TOKEN", new Secret("value-of-token"), OPTIONS);
    await commands();
    break;
  case "resolve":
    say(await resolve(openVault({ home, config: { keychain: true, keychainEnvironment: keychainEnvironment(process.env) } })));
    break;
  case "resolve-inheriting":
    say(await resolve(openVault({ home, config: { keychain: true } })));
    break;
  default:
    throw new Error(`unknown operation ${operation}`);
}
