// npm start: builds, serves examples/workspace over HTTP on this machine, makes one real call from another process, and
// prints what to paste into MCP clients. Tokens and keys of the user are not touched: the token of this run is in memory only.
import { execFile } from "node:child_process";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DEFAULT_AGENT } from "../src/cli/agent-choice.ts";
import { readConfig } from "../src/cli/config.ts";
import { createOutput } from "../src/cli/io.ts";
import { readVersion } from "../src/cli/process.ts";
import { aborted, closeWithin, listenForStop } from "../src/cli/serving/stop-signals.ts";
import { toolTableLines, toolTableTitle } from "../src/cli/tool-table.ts";
import { ToolError } from "../src/core/errors.ts";
import { createLog } from "../src/core/log.ts";
import { shellWord } from "../src/core/shell-word.ts";
import type { Engine } from "../src/engine/engine.ts";
import { openRuntime } from "../src/engine/runtime.ts";
import { type HttpServer, startHttp } from "../src/server/http.ts";
import { installSnippets } from "../src/server/install-snippets.ts";

const FIRST_PORT = 7337;
const PORTS_TRIED = 20;
/** How often the parent process is looked for, in milliseconds. */
const PARENT_CHECK_MS = 500;

const root = fileURLToPath(new URL("..", import.meta.url));
const workspace = path.join(root, "examples", "workspace");
const run = promisify(execFile);

using stop = listenForStop();
const config = readConfig(process.env);
const output = createOutput(process, config.isColourWanted);
await run(process.execPath, [path.join(root, "scripts", "build.ts")]);

const log = createLog(config.logLevel ?? "warn");
const runtime = await openRuntime({ root: workspace, home: config.home, key: config.key, poll: false, log, warmUp: true });
const token = `ty_${randomBytes(32).toString("base64url")}`;
const server = await startOnFreePort(runtime.engine);
await printTools(runtime.engine);
await printFirstCall(server.url);
printSnippets();
output.line("Watching for changes. Ctrl-C stops.");

await Promise.race([aborted(stop.signal), parentGone()]);
await server.close();
await closeWithin(2_000, runtime);
process.exit(0);

/** Settles when npm is gone: it passes signals to its shell only, which may end without passing them on. */
function parentGone(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, PARENT_CHECK_MS).unref();
  });
}

async function startOnFreePort(engine: Engine): Promise<HttpServer> {
  const serving = { engine, expose: "both", version: readVersion(), log, limits: runtime.limits } as const;
  const auth = { kind: "token", verify: (given: string) => (isToken(given) ? { agent: DEFAULT_AGENT } : undefined) } as const;
  for (let port = FIRST_PORT; ; port++) {
    try {
      return await startHttp({ ...serving, auth, host: "127.0.0.1", port });
    } catch (error) {
      const isTaken = error instanceof ToolError && error.data.reason === "EADDRINUSE";
      if (!isTaken || port >= FIRST_PORT + PORTS_TRIED) throw error;
    }
  }
}

function isToken(given: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function printTools(engine: Engine): Promise<void> {
  await engine.refresh({ kind: "list" });
  const tools = engine.list({ agent: DEFAULT_AGENT, origin: "mcp" });
  output.line(toolTableTitle({ version: readVersion(), workspace: "examples/workspace", tools, generation: engine.generation() }));
  output.line();
  const flag = ` -w ${shellWord(path.relative(process.cwd(), workspace))}`;
  for (const line of toolTableLines(tools, output.paint, flag)) output.line(line);
  output.line();
}

/** What scripts/first-call.ts prints. */
interface FirstCall {
  readonly isError: boolean;
  readonly message: string;
  readonly answer: { readonly words: number; readonly sentences: number };
  readonly ms: number;
}

/** The call comes from a process that knows the address and the token and nothing else. */
async function printFirstCall(url: string): Promise<void> {
  const client = execFile(process.execPath, [path.join(root, "scripts", "first-call.ts")], { timeout: 30_000 });
  let text = "";
  client.stdout?.on("data", (chunk: string) => {
    text += chunk;
  });
  client.stderr?.pipe(process.stderr);
  // On standard input, since other processes can read arguments.
  client.stdin?.end(JSON.stringify({ url, token }));
  const [code] = await once(client, "close");
  if (code !== 0) throw new ToolError("UNAVAILABLE", `The first call through ${url} failed; the reason stands above.`);
  const { isError, message, answer, ms }: FirstCall = JSON.parse(text);
  if (isError) throw new ToolError("UNAVAILABLE", `The first call through ${url} failed: ${message}`);
  const shown = `{ words: ${answer.words}, sentences: ${answer.sentences}, … }`;
  output.line(`  called text-stats through ${url}  →  ${shown}   ${Math.round(ms)} ms`);
  output.line(`  token of this run: ${token}`);
  output.line();
}

function printSnippets(): void {
  const launch = { command: process.execPath, args: [path.join(root, "dist", "cli", "main.js"), "serve", "-w", workspace] };
  const command = [process.execPath, ...launch.args.slice(0, 1)].map((file) => path.relative(process.cwd(), file));
  output.line(`"toolyard" above is, in this folder: ${command.join(" ")}`);
  output.line("Connect a client: paste");
  for (const { title, where, text } of installSnippets(launch, process.platform)) {
    output.line(`\n  ${output.paint("strong", title)} (${where})`);
    for (const line of text.split("\n")) output.line(`  ${line}`);
  }
  output.line();
}
