/**
 * A process of its own for one keychain operation. The library calls the system's keychain while its object is made, on
 * the thread that makes it, and waits as long as the keychain does; only a process can be ended after 5 s.
 *
 *   argv: get ACCOUNT…         → stdout {"found":["…",null]}, null for each that is not there
 *   argv: set ACCOUNT, stdin   → stdout {"stored":true}
 *   argv: delete ACCOUNT       → stdout {"deleted":true|false}
 *   anything that fails        → stdout {"error":"…"}
 */
import { AsyncEntry } from "@napi-rs/keyring";

const SERVICE = "toolyard";

async function main([operation, ...accounts]: readonly string[]): Promise<object> {
  const [account] = accounts;
  if (account === undefined) throw new Error("no account was given");
  switch (operation) {
    case "get":
      return { found: await Promise.all(accounts.map(async (name) => (await entryOf(name).getPassword()) ?? null)) };
    case "set":
      await entryOf(account).setPassword(await readStdin());
      return { stored: true };
    case "delete":
      return { deleted: await entryOf(account).deletePassword() };
    default:
      throw new Error("unknown operation");
  }
}

function entryOf(account: string): AsyncEntry {
  // Without this the library falls back to the kernel's keyring, which is empty after the next boot.
  return new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

let answer: object;
try {
  answer = await main(process.argv.slice(2));
} catch (error) {
  answer = { error: error instanceof Error ? error.message : String(error) };
}
process.stdout.write(JSON.stringify(answer));
