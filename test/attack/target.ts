/** The server under attack: a process of its own over either transport, with all that it says kept. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { INITIALIZE, legacyMessage, modernHeaders, modernMessage, notification, post } from "../support/mcp-http.ts";
import { processesOfSession } from "../support/processes.ts";

export type Transport = "stdio" | "http";

/** A running `toolyard serve`. */
export interface Target extends AsyncDisposable {
  /** All that went over the wire and to stderr, as one text each. */
  readonly streams: () => Readonly<Record<string, string>>;
  /** Ids of the processes it started, as of now. */
  readonly children: () => readonly number[];
  /** Calls a tool; the result as the client gets it. */
  call(name: string, args: object): Promise<ToolAnswer>;
}

/** Of a result of `tools/call`. */
export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly error?: { readonly code: string } };
}

/** What it runs with. */
export interface TargetOptions {
  readonly root: string;
  readonly home: string;
  /** For its temporary files and as its working folder. */
  readonly scratch: string;
  /** Beside PATH, HOME and TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /** Needed over HTTP. */
  readonly token?: string;
}

/** The command, from the sources. */
export const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts the server and waits until it answers. */
export async function startTarget(transport: Transport, options: TargetOptions): Promise<Target> {
  const { root, home, scratch, env } = options;
  mkdirSync(join(scratch, "cwd"), { recursive: true });
  const extra = transport === "http" ? ["--http", "0", "--json"] : [];
  const child = spawn(process.execPath, [MAIN, "serve", "-w", root, ...extra], {
    cwd: join(scratch, "cwd"),
    env: { PATH: process.env.PATH ?? "", HOME: scratch, TMPDIR: scratch, TOOLYARD_HOME: home, TOOLYARD_LOG: "debug", ...env },
    stdio: ["pipe", "pipe", "pipe"],
    // A session of its own, by which all its processes are found.
    detached: true,
  });
  child.stdin.on("error", () => undefined);
  const streams: Record<string, string> = { stderr: "", stdout: "", wire: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    streams.stderr += text;
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
  };
  const call = transport === "stdio" ? await overStdio(child, streams) : await overHttp(child, streams, options.token ?? "");
  const { pid = 0 } = child;
  return {
    streams: () => streams,
    children: () => processesOfSession(pid).filter((each) => each !== pid),
    call,
    [Symbol.asyncDispose]: kill,
  };
}

async function overStdio(child: Child, streams: Record<string, string>): Promise<Target["call"]> {
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    streams.stdout += `${line}\n`;
    const message: Record<string, unknown> = JSON.parse(line);
    if (typeof message.id === "number" && !("method" in message)) waiting.get(message.id)?.(message);
  });
  const ended = once(child, "close").then(() => Promise.reject(new Error(`The server ended: ${streams.stderr?.slice(-2_000)}`)));
  ended.catch(() => undefined); // Whoever waits for an answer sees it.
  let last = 0;
  const ask = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(id, resolve);
    child.stdin.write(`${JSON.stringify(legacyMessage(method, params, id))}\n`);
    return Promise.race([promise, ended]);
  };
  await ask("initialize", INITIALIZE);
  child.stdin.write(`${JSON.stringify(notification("notifications/initialized"))}\n`);
  await ask("logging/setLevel", { level: "debug" });
  return async (name, args) => {
    const answer = await ask("tools/call", { name, arguments: args, _meta: { progressToken: last + 1 } });
    return resultOf(answer, name);
  };
}

async function overHttp(child: Child, streams: Record<string, string>, token: string): Promise<Target["call"]> {
  const url = await addressOf(child, streams);
  child.stdout.on("data", (text: Buffer) => {
    streams.stdout += String(text);
  });
  let last = 0;
  return async (name, args) => {
    const message = modernMessage(
      "tools/call",
      { name, arguments: args },
      ++last,
      {},
      { progressToken: last, "io.modelcontextprotocol/logLevel": "debug" },
    );
    const headers = { ...modernHeaders("tools/call", name), authorization: `Bearer ${token}` };
    const response = await post(url, message, headers);
    const text = await response.text();
    streams.wire += `${JSON.stringify([...response.headers])}\n${text}\n`;
    const messages =
      response.headers.get("content-type")?.startsWith("application/json") === true
        ? [text]
        : [...text.matchAll(/^data: (.+)$/gm)].map((found) => found[1] ?? "");
    const answer = messages.map((each): Record<string, unknown> => JSON.parse(each)).find((each) => "id" in each && !("method" in each));
    if (answer === undefined) throw new Error(`No answer to ${name}: HTTP ${response.status} ${text.slice(0, 500)}`);
    return resultOf(answer, name);
  };
}

async function addressOf(child: Child, streams: Record<string, string>): Promise<string> {
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    streams.stdout += String(chunk);
    if (streams.stdout?.includes("\n}") === true) break;
  }
  const { url }: { readonly url: string } = JSON.parse(streams.stdout ?? "");
  return url;
}

function resultOf(answer: Record<string, unknown>, name: string): ToolAnswer {
  if (typeof answer.result !== "object" || answer.result === null)
    throw new Error(`${name} gave no result: ${JSON.stringify(answer).slice(0, 500)}`);
  return answer.result;
}
