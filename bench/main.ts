// npm run bench: the echo call beside the same SDK without a sandbox. npm run bench -- sandbox: the sandbox beside other ways to run a script.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const benches: ReadonlyMap<string, readonly string[]> = new Map([
  ["echo", ["echo.ts"]],
  // isolated-vm cannot make isolates in a process started from Node's snapshot, and one of the ways makes them in process.
  ["sandbox", ["--no-node-snapshot", "sandbox.ts"]],
]);

const [name = "echo"] = process.argv.slice(2);
const command = benches.get(name);
if (command === undefined) {
  console.error(`There is no bench "${name}"; there are: ${[...benches.keys()].join(", ")}.`);
  process.exitCode = 2;
} else {
  const args = command.map((part) => (part.endsWith(".ts") ? fileURLToPath(new URL(part, import.meta.url)) : part));
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
}
