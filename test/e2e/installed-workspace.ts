/** The workspace that the end-to-end tests of clients serve with the installed command, and what tells them what its tools do. */
import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import type { Target } from "../support/mcp-clients.ts";
import { type CliBench, makeBench } from "./cli-process.ts";

/** A folder of real scripts: `echo`, `pick`, `wait` and, once grown, `grown`. */
export interface InstalledWorkspace {
  readonly bench: CliBench;
  /** Resolves once the request of `wait` has arrived. */
  readonly waitStarted: Promise<void>;
  /** Resolves once the connection of that request is closed, which nothing but its end on the other side does. */
  readonly waitCancelled: Promise<void>;
  /** Writes a tools.json that has `grown` too. */
  grow(): void;
}

const ECHO = {
  name: "echo",
  description: "Gives its text back",
  script: "scripts/echo.js",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const PICK = {
  name: "pick",
  description: "Picks by a column",
  script: "scripts/echo.js",
  parameters: {
    type: "object",
    properties: { where: { type: "object", properties: { column: { enum: ["name", "amount"] } }, required: ["column"] } },
    required: ["where"],
  },
};
const GROWN = { name: "grown", description: "Came later", script: "scripts/grown.js" };

/**
 * Makes the folder for the command at `cli`, and the loopback server that `wait` asks; its host is trusted by `toolyard trust`.
 * Both are gone at the end of the test.
 */
export async function makeInstalledWorkspace(cli: string): Promise<InstalledWorkspace> {
  const bench = makeBench(cli);
  onTestFinished(() => bench[Symbol.dispose]());
  const { host, waitStarted, waitCancelled } = await startSilentApi();
  const wait = { name: "wait", description: "Waits for an answer", script: "scripts/wait.js", allowedHosts: [host], timeout: 60 };
  bench.write({
    "tools.json": { tools: [ECHO, PICK, wait] },
    "scripts/echo.js": "function main() { return g.tool.args; }\n",
    "scripts/wait.js": `async function main() { return (await fetch("http://${host}/")).text(); }\n`,
    "scripts/grown.js": 'function main() { return "grown"; }\n',
  });
  const trusted = await bench.run(["trust", "--yes"], { env: { TOOLYARD_CONFIRM: "1" } });
  if (trusted.code !== 0) throw new Error(`trust failed: ${trusted.stderr}`);
  return {
    bench,
    waitStarted,
    waitCancelled,
    grow: () => bench.write({ "tools.json": { tools: [ECHO, PICK, wait, GROWN] } }),
  };
}

/** The command over stdio, started by the client itself. */
export function stdioTarget(cli: string, { bench }: Pick<InstalledWorkspace, "bench">): Target {
  const args = [cli, "serve", "-w", bench.folder];
  return { kind: "stdio", command: process.execPath, args, env: { TOOLYARD_HOME: bench.home } };
}

/** The command over HTTP on a free port, with the token of an agent; it is ended with the test. */
export async function startHttpTarget({ bench }: Pick<InstalledWorkspace, "bench">): Promise<Target & { readonly kind: "http" }> {
  const added = await bench.run(["agents", "add", "laptop", "--json"]);
  const { token } = JSON.parse(added.stdout);
  const child = bench.start(["serve", "--http", "0", "--json"]);
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  child.stderr.resume();
  let text = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes("\n}")) break;
  }
  child.stdout.resume();
  return { kind: "http", url: JSON.parse(text).url, token };
}

interface SilentApi extends Pick<InstalledWorkspace, "waitStarted" | "waitCancelled"> {
  readonly host: string;
}

/** Takes requests and never answers. */
async function startSilentApi(): Promise<SilentApi> {
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const api = createServer((request) => {
    request.socket.once("close", () => cancelled.resolve());
    started.resolve();
  });
  onTestFinished(() => {
    api.closeAllConnections();
    api.close();
  });
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const address = api.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return { host: `127.0.0.1:${address.port}`, waitStarted: started.promise, waitCancelled: cancelled.promise };
}
