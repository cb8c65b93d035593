/**
 * A process of its own for one keychain operation. The library calls the system's keychain while its object is made, on
 * the thread that makes it, and waits as long as the keychain does; only a process can be ended after 5 s.
 *
 *   argv: get ACCOUNT          → stdout {"found":"…"} or {"found":null}
 *   argv: set ACCOUNT, stdin   → stdout {"stored":true}
 *   argv: delete ACCOUNT       → stdout {"deleted":true|false}
 *   anything that fails        → stdout {"error":"…"}
 */
import { AsyncEntry } from "@napi-rs/keyring";

const SERVICE = "toolyard";

async function main([operation, account]: readonly string[]): Promise<object> {
  if (account === undefined) throw new Error("no account was given");
  // Without this the library falls back to the kernel's keyring, which is empty after the next boot.
  const entry = new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
  switch (operation) {
    case "get":
      return { found: await entry.getPassword() };
    case "set":
      await entry.setPassword(await readStdin());
      return { stored: true };
    case "delete":
      return { deleted: await entry.deletePassword() };
    default:
      throw new Error("unknown operation");
  }
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
