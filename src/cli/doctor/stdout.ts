import { spawn } from "node:child_process";
import type { Problem } from "../../core/problem.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** Longest wait for a served workspace to answer and end, in milliseconds. */
const SERVE_WAIT_MS = 15_000;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "toolyard-doctor", version: "1" } },
};

/** `serve` over stdio writes MCP and nothing else, answers, and ends with its client. */
export const stdoutProbe: Probe<DoctorContext> = {
  name: "stdout",
  about: "serve answers over stdio and writes nothing else there",
  code: "STDOUT",
  run: async (context) => {
    const { text, exitCode } = await serveOnce(context);
    const lines = text.split("\n").filter((line) => line !== "");
    if (lines.some((line) => !isMessage(line))) return [finding("wrote something to stdout that is not JSON-RPC")];
    if (!lines.some((line) => line.includes('"id":1'))) return [finding(`gave no answer to "initialize" (exit code ${exitCode})`)];
    return exitCode === 0 ? [] : [finding(`ended with exit code ${exitCode} when its client left`)];
  },
};

function serveOnce({ cli, sample }: DoctorContext): Promise<{ text: string; exitCode: number | string }> {
  const { node, main } = cli.program;
  const child = spawn(node, [main, "serve", "-w", sample.root], {
    env: { ...cli.childEnvironment, TOOLYARD_HOME: sample.home, TOOLYARD_LOG: "silent" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<{ text: string; exitCode: number | string }>();
  let text = "";
  const timer = setTimeout(() => child.kill("SIGKILL"), SERVE_WAIT_MS);
  child.on("error", reject);
  // It may be gone before the question is written; the exit code says so.
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("\n")) child.stdin.end();
  });
  child.on("close", (code, signal) => {
    clearTimeout(timer);
    resolve({ text, exitCode: code ?? signal ?? "none" });
  });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  return promise;
}

function isMessage(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "jsonrpc" in value;
  } catch {
    return false; // Not JSON: that is the answer.
  }
}

function finding(found: string): Problem {
  return { code: "STDOUT", severity: "error", place: { kind: "none" }, message: `toolyard serve, started as a client does, ${found}.` };
}
