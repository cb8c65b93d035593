/** The official inspector's command-line mode, as a person would type it: each request is a command of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Target, type TestClient, toResult } from "./mcp-clients.ts";

const PROGRAM = fileURLToPath(new URL("../../node_modules/.bin/mcp-inspector", import.meta.url));

/** A client that starts the inspector for each request, in a home of its own, where it may keep its files. */
export function inspectorClient(target: Target, era: "legacy" | "modern"): TestClient {
  const home = mkdtempSync(join(tmpdir(), "toolyard-inspector-"));
  const run = async (args: readonly string[], signal?: AbortSignal): Promise<{ readonly result: object; readonly printed: string }> => {
    const reach = ["--cli", "--format", "json", "--protocol-era", era, "--method", ...args, ...reaching(target)];
    const child = spawn(process.execPath, [PROGRAM, ...reach], {
      cwd: home,
      env: { PATH: process.env.PATH ?? "", HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // What a person at the keyboard has: Ctrl-C.
    signal?.addEventListener("abort", () => child.kill("SIGINT"), { once: true });
    const { stdout, stderr } = await collect(child);
    if (stdout === "") throw new Error(`the inspector gave no result but said: ${stderr}`);
    return { result: JSON.parse(stdout).result, printed: stdout + stderr };
  };
  return {
    toolNames: async () => {
      const { result } = await run(["tools/list"]);
      const tools: unknown = "tools" in result ? result.tools : [];
      return Array.isArray(tools) ? tools.map(({ name }) => String(name)) : [];
    },
    call: async (name, args, { signal, onProgress } = {}) => {
      const { result, printed } = await run(["tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)], signal);
      // It prints none today; whatever it will print of a step, it cannot leave out its number.
      for (const [, step] of printed.matchAll(/step (\d+)/g)) onProgress?.(Number(step));
      return toResult(result);
    },
    instructions: () => undefined,
    protocolVersion: () => undefined,
    listChanged: new Promise(() => undefined),
    [Symbol.asyncDispose]: async () => rmSync(home, { recursive: true, force: true }),
  };
}

function reaching(target: Target): readonly string[] {
  if (target.kind === "stdio") {
    const variables = Object.entries(target.env ?? {}).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return [...variables, "--", target.command, ...target.args];
  }
  return ["--server-url", target.url, "--transport", "http", "--header", `Authorization: Bearer ${target.token}`, "--stored-auth-only"];
}

async function collect(child: ChildProcess): Promise<{ readonly stdout: string; readonly stderr: string }> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child, "close");
  return { stdout, stderr };
}
