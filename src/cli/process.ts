import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../core/json.ts";
import { runCli } from "./run-cli.ts";

/** Longest wait of `serve` for a client that reads nothing any more, in milliseconds. */
const SERVE_FLUSH_MS = 300;

/** Runs the program in this process and ends it, once what was written is out. `parentPid`: its parent at the very start. */
export async function runProcess(process: NodeJS.Process, parentPid: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that is gone (`toolyard list | head -1`) ends the output, not the program; serve notices by itself.
    stream.on("error", () => undefined);
  }
  // In force if everything settles but the command, which must not pass for success.
  process.exitCode = 1;
  const exitCode = await runCli({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    streams: process,
    version: readVersion(),
    program: {
      parentPid,
      node: process.execPath,
      main: fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.js", import.meta.url)),
    },
  });
  await flushed(process.stdout, process.argv[2] === "serve" ? SERVE_FLUSH_MS : undefined);
  process.exit(exitCode);
}

/** The version in package.json, which lies two folders up both from src/cli and from dist/cli. */
export function readVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isJsonObject(parsed) && typeof parsed.version === "string" ? parsed.version : "unknown";
}

/** Settles when everything written is out, the reader is gone, or the time is over. A pager may take as long as a person reads. */
function flushed(stream: NodeJS.WriteStream, limitMs: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    if (limitMs !== undefined) setTimeout(resolve, limitMs);
    stream.write("", () => resolve());
  });
}
