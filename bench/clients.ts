// Hand-written JSON-RPC clients, so that the figures are the server's and not a client library's.
import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";

/** Protocol generation a client speaks. */
export type Era = "2025-11-25" | "2026-07-28";

/** A connected client. */
export interface BenchClient {
  call(text: string): Promise<void>;
  close(): Promise<void>;
}

const clientInfo = { name: "bench", version: "1" };

function paramsFor(era: Era, params: object): object {
  if (era === "2025-11-25") return params;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": era,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { ...params, _meta: meta };
}

function echoCall(era: Era, id: number, text: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: paramsFor(era, { name: "echo", arguments: { text } }) });
}

function initialize(era: Era): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: era, capabilities: {}, clientInfo } });
}

const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

/** Starts a stdio server and connects. */
export async function openStdio(command: string, args: readonly string[], env: NodeJS.ProcessEnv, era: Era): Promise<BenchClient> {
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (line: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const id = Number(/"id":(\d+)/.exec(line.slice(-40))?.[1] ?? /"id":(\d+)/.exec(line)?.[1]);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  const send = (id: number, line: string): Promise<string> =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      child.stdin.write(`${line}\n`);
    });
  if (era === "2025-11-25") {
    await send(0, initialize(era));
    child.stdin.write(`${initialized}\n`);
  }
  let next = 1;
  return {
    call: async (text) => {
      const id = next++;
      checkAnswer(await send(id, echoCall(era, id, text)), text);
    },
    close: () => closeChild(child),
  };
}

/** Connects to an HTTP server over kept connections; a 2025 client opens a session. */
export async function openHttp(url: string, token: string | undefined, era: Era): Promise<BenchClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const common: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": era,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const post = (body: string, headers: Record<string, string>): Promise<{ text: string; session: string | undefined }> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        { method: "POST", agent, headers: { ...common, ...headers, "content-length": Buffer.byteLength(body) } },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => resolve({ text, session: response.headers["mcp-session-id"]?.toString() }));
          response.on("error", reject);
        },
      );
      outgoing.on("error", reject).end(body);
    });
  const session: Record<string, string> = {};
  if (era === "2025-11-25") {
    session["mcp-session-id"] = (await post(initialize(era), {})).session ?? "";
    await post(initialized, session);
  }
  const callHeaders = era === "2025-11-25" ? session : { "mcp-method": "tools/call", "mcp-name": "echo" };
  let next = 1;
  return {
    call: async (text) => checkAnswer((await post(echoCall(era, next++, text), callHeaders)).text, text),
    close: async () => agent.destroy(),
  };
}

/** Ends a child that was started here and waits for it. */
export function closeChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.stdin?.end();
    child.kill("SIGTERM");
  });
}

function checkAnswer(answer: string, text: string): void {
  if (!answer.includes(text) || answer.includes('"isError":true')) throw new Error(`unexpected answer: ${answer.slice(0, 500)}`);
}
