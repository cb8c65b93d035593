/**
 * A client as a process of its own, to be killed: `kill-client.ts CLI WORKSPACE HOME TOOL`. It starts the command over stdio, calls
 * `quick` again and again or `endless` once, and prints what it has reached, one word a line.
 */
import { connectClient } from "../support/mcp-clients.ts";

const [cli = "", workspace = "", home = "", tool = "quick"] = process.argv.slice(2);

const reached = (phase: string): void => void process.stdout.write(`${phase}\n`);

reached("starting");
const client = await connectClient("sdk 2.x at 2025-11-25", {
  kind: "stdio",
  command: process.execPath,
  args: [cli, "serve", "-w", workspace],
  env: { TOOLYARD_HOME: home },
});
reached("connected");
if (tool === "endless") await client.call("endless", {}, { onProgress: () => reached("computing") });
for (;;) {
  await client.call("quick", {});
  reached("answered");
}
