/**
 * A server of tools in code, as a process: `mcp-test-server.ts stdio FOLDER`, `… unclaimed FOLDER`
 * (stdio, but stdout is left to everybody) or `… http FOLDER TOKEN` (prints its URL).
 */
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { startHttp } from "../../src/server/http.ts";
import { runStdio } from "../../src/server/stdio.ts";
import { claimStdout } from "../../src/server/stdout-guard.ts";
import { fileSignalledEngine } from "./mcp-engine.ts";

const [mode = "stdio", folder = ".", token = ""] = process.argv.slice(2);
const { engine, watcher } = fileSignalledEngine(folder);
const serving = { engine, expose: "both" as const, version: "0.0.0-test", log: silentLog };

if (mode === "http") {
  const auth = { kind: "token" as const, verify: (given: string) => (given === token ? { agent: "default" } : undefined) };
  const server = await startHttp({ ...serving, host: "127.0.0.1", port: 0, auth, limits: defaultLimits });
  process.stdout.write(`${server.url}\n`);
  process.once("SIGTERM", () => {
    watcher.close();
    server.close(0).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
} else {
  const stdout = mode === "unclaimed" ? process.stdout : claimStdout(process.stdout, process.stderr).stream;
  const end = await runStdio({ ...serving, caller: { agent: "default", origin: "mcp" }, stdin: process.stdin, stdout });
  watcher.close();
  process.stderr.write(`ended: ${end}\n`);
  process.exit(0);
}
