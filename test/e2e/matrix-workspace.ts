/** The workspace that the matrix of clients serves with the installed command, and what tells the test what its tools do. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { vi } from "vitest";
import type { Target } from "../support/mcp-clients.ts";
import { type CliBench, makeBench } from "./cli-process.ts";
import { compileCache } from "./compile-cache.ts";
import { addAgent, startHttpProcess } from "./installed-workspace.ts";

/** What the tool `long` gives: over the budget of 60,000 characters, so that it is read in two pages. */
export const LONG_TEXT = "line 😀\n".repeat(12_500);

/** A call of the tool `steps` (three steps of progress, then it waits) or `wait`, seen from the API that it asks. */
export interface WaitingCall {
  /** Resolves once the request of the tool has arrived. */
  readonly started: Promise<void>;
  /** Resolves once the request is over: its connection was closed on the other side, or it took the answer. */
  readonly ended: Promise<"closed" | "answered">;
  /** Answers, if there is still somebody to take it. */
  answer(): void;
}

/** A served folder with the tools `echo`, `pick`, `steps`, `long`, `wait` and those that edits have added. */
export interface MatrixServer extends AsyncDisposable {
  readonly target: Target;
  /** To be asked for before the call is made. */
  nextWait(): WaitingCall;
  /** Adds a tool to tools.json. */
  addTool(name: string): void;
  /** Ends the server process and, where the client does not do that itself, starts it again at the same address. */
  restart(): Promise<void>;
}

const script = (name: string, file: string, parameters?: object): object => ({
  name,
  description: `Tool ${name} of the matrix`,
  script: `scripts/${file}.js`,
  ...(parameters === undefined ? {} : { parameters }),
});

const TOOLS = [
  script("echo", "echo", { type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
  script("pick", "echo", {
    type: "object",
    properties: { where: { type: "object", properties: { column: { enum: ["name", "amount"] } }, required: ["column"] } },
    required: ["where"],
  }),
  script("long", "long"),
];

const SCRIPTS = {
  "scripts/echo.js": "function main() { return g.tool.args; }\n",
  "scripts/long.js": 'function main() { return "line 😀\\n".repeat(12_500); }\n',
};

/** Makes the folder, with the host of `wait` trusted by `toolyard trust`, and serves it over stdio or HTTP. */
export async function startMatrixServer(cli: string, transport: "stdio" | "HTTP"): Promise<MatrixServer> {
  const bench = makeBench(cli);
  const api = await startSilentApi();
  const waiting = ["steps", "wait"].map((name) => ({ ...script(name, name), allowedHosts: [api.host], timeout: 60 }));
  const added: object[] = [];
  const writeTools = (): void => bench.write({ "tools.json": { tools: [...TOOLS, ...waiting, ...added] } });
  writeTools();
  const ask = `return (await fetch("http://${api.host}/")).text();`;
  const report = 'for (const n of [1, 2, 3]) g.run.progress(n, 3, "step " + n);';
  bench.write({
    ...SCRIPTS,
    "scripts/steps.js": `async function main() {\n  ${report}\n  ${ask}\n}\n`,
    "scripts/wait.js": `async function main() {\n  ${ask}\n}\n`,
  });
  const trusted = await bench.run(["trust", "--yes"], { env: { TOOLYARD_CONFIRM: "1" } });
  if (trusted.code !== 0) throw new Error(`trust failed: ${trusted.stderr}`);
  const process = await (transport === "stdio" ? stdioProcess(cli, bench) : httpProcess(bench));
  return {
    target: process.target,
    nextWait: api.nextWait,
    addTool: (name) => {
      added.push(script(name, "echo"));
      writeTools();
    },
    restart: process.restart,
    [Symbol.asyncDispose]: async () => {
      await process.stop();
      api.close();
      bench[Symbol.dispose]();
    },
  };
}

interface ServerProcess extends Pick<MatrixServer, "target" | "restart"> {
  stop(): Promise<void>;
}

/** Clients start it; the shell says under which process id before it becomes the server. */
function stdioProcess(cli: string, bench: CliBench): ServerProcess {
  const pidFile = join(bench.folder, "..", "server.pid");
  const args = ["-c", 'echo $$ > "$0"; exec "$@"', pidFile, process.execPath, cli, "serve", "-w", bench.folder];
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(Number(readFileSync(pidFile, "utf8")), signal);
    } catch {
      return false; // It is gone, that of a command that makes one call with its client.
    }
  };
  const end = async (): Promise<void> => {
    send("SIGTERM");
    // A server that is about to end may still answer a call.
    await vi.waitUntil(() => !send(0), { timeout: 10_000, interval: 10 });
  };
  return {
    target: { kind: "stdio", command: "sh", args, env: { TOOLYARD_HOME: bench.home, PATH: process.env.PATH ?? "", ...compileCache(cli) } },
    restart: end,
    stop: async () => undefined,
  };
}

async function httpProcess(bench: CliBench): Promise<ServerProcess> {
  const token = await addAgent(bench);
  let server = await startHttpProcess(bench);
  const { url } = server;
  return {
    target: { kind: "http", url, token },
    restart: async () => {
      await server.stop();
      server = await startHttpProcess(bench, Number(new URL(url).port));
    },
    stop: () => server.stop(),
  };
}

interface SilentApi extends Pick<MatrixServer, "nextWait"> {
  readonly host: string;
  close(): void;
}

/** Takes requests, and answers when the test says so. */
async function startSilentApi(): Promise<SilentApi> {
  let arrive: (response: ServerResponse) => void = () => undefined;
  const api = createServer((_request, response) => arrive(response));
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const address = api.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    host: `127.0.0.1:${address.port}`,
    nextWait: () => {
      const started = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<"closed" | "answered">();
      let asked: ServerResponse | undefined;
      arrive = (response) => {
        asked = response;
        response.once("close", () => ended.resolve(response.writableFinished ? "answered" : "closed"));
        started.resolve();
      };
      return { started: started.promise, ended: ended.promise, answer: () => asked?.end("done") };
    },
    close: () => {
      api.closeAllConnections();
      api.close();
    },
  };
}
