/**
 * A process of its own for tests of the vault: `vault-session.ts HOME OPERATION [ARGUMENT…]`. Prints JSON lines.
 *   write NAME COUNT   sets NAME_1 … NAME_COUNT
 *   overwrite NAME     sets NAME to value-000001, value-000002, … until it is killed; prints each number once it is stored
 *   keychain           stores a secret in a vault whose key is in the keychain, reads it back with a second vault
 *   resolve            reads that secret
 */
import { ToolError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import { systemKeychain } from "../../src/secrets/keychain.ts";
import { openVault, type Vault } from "../../src/secrets/vault.ts";
import type { Scope } from "../../src/secrets/vault-file.ts";

const SCOPE: Scope = { kind: "workspace", id: "workspace-1" };
const OPTIONS = { binding: { hosts: ["api.example.com"] } };

const [home = "", operation = "", name = "", count = ""] = process.argv.slice(2);

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function resolve(vault: Vault): Promise<unknown> {
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
  const options = { home, config: { keychain: true } };
  const first = openVault(options);
  try {
    say(await first.set(SCOPE, "TOKEN", new Secret("value-of-token"), OPTIONS));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    say({ code: error.code });
    return;
  }
  say(await resolve(openVault(options)));
  const id: unknown = JSON.parse((await import("node:fs")).readFileSync(`${home}/vault.json`, "utf8")).id;
  say({ removed: [await systemKeychain().remove(String(id)), await systemKeychain().remove(String(id))] });
  say(await resolve(openVault(options)));
}

switch (operation) {
  case "write": {
    const vault = openVault({ home, config: { keychain: false } });
    for (let number = 1; number <= Number(count); number++)
      await vault.set(SCOPE, `${name}_${number}`, new Secret(`value-of-${name}-${number}`), OPTIONS);
    break;
  }
  case "overwrite": {
    const vault = openVault({ home, config: { keychain: false } });
    for (let number = 1; ; number++) {
      await vault.set(SCOPE, name, new Secret(`value-${String(number).padStart(6, "0")}`), OPTIONS);
      say(number);
    }
  }
  case "keychain":
    await keychain();
    break;
  case "resolve":
    say(await resolve(openVault({ home, config: { keychain: true } })));
    break;
  default:
    throw new Error(`unknown operation ${operation}`);
}
