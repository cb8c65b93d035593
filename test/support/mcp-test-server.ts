/** A server of tools in code, as a process: `mcp-test-server.ts stdio FOLDER`, or `… unclaimed FOLDER` (stdout is left to everybody). */
import { silentLog } from "../../src/core/log.ts";
import { runStdio } from "../../src/server/stdio.ts";
import { claimStdout } from "../../src/server/stdout-guard.ts";
import { fileSignalledEngine } from "./mcp-engine.ts";

const [mode = "stdio", folder = "."] = process.argv.slice(2);
const serving = { engine: fileSignalledEngine(folder), expose: "both" as const, version: "0.0.0-test", log: silentLog };
const stdout = mode === "unclaimed" ? process.stdout : claimStdout(process.stdout, process.stderr).stream;
const end = await runStdio({ ...serving, caller: { agent: "default", origin: "mcp" }, stdin: process.stdin, stdout });
process.stderr.write(`ended: ${end}\n`);
process.exit(0);
