/** A server process that a test speaks to line by line. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { INITIALIZE, legacyMessage, notification } from "./mcp-http.ts";

/** Path of the test server's script. */
export const TEST_SERVER = fileURLToPath(new URL("./mcp-test-server.ts", import.meta.url));

/** A running server. */
export interface StdioProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly folder: string;
  /** Every line of stdout so far. */
  readonly lines: readonly string[];
  readonly stderr: () => string;
  send(message: unknown): void;
  /** The answer with that id, once it is there. */
  answer(id: number | string | null): Promise<Record<string, unknown>>;
  /** Resolves with the exit code, once stdout and stderr are closed too. */
  readonly exited: Promise<number | null>;
}

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-stdio-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the test server; `mode` is "stdio" or "unclaimed". */
export function startStdio(mode: "stdio" | "unclaimed" = "stdio"): StdioProcess {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [TEST_SERVER, mode, folder], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  // The server may be gone before a test has written its last line.
  child.stdin.on("error", () => undefined);
  return { child, folder, ...speak(child), exited: once(child, "close").then(([code]) => (typeof code === "number" ? code : null)) };
}

/** Does the handshake of 2025-11-25. */
export async function initialized(server: StdioProcess): Promise<void> {
  server.send(legacyMessage("initialize", INITIALIZE, 0));
  await server.answer(0);
  server.send(notification("notifications/initialized"));
}

function speak({ stdin, stdout, stderr }: StdioProcess["child"]): Pick<StdioProcess, "lines" | "stderr" | "send" | "answer"> {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let errors = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  createInterface({ input: stdout }).on("line", (line) => {
    lines.push(line);
    for (const check of waiting) check();
  });
  return {
    lines,
    stderr: () => errors,
    send: (message) => {
      stdin.write(typeof message === "string" || Buffer.isBuffer(message) ? message : `${JSON.stringify(message)}\n`);
    },
    answer: async (id) => {
      const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
      const check = (): void => {
        const found = lines
          .map(parsed)
          .find((message) => message !== undefined && "id" in message && message.id === id && !("method" in message));
        if (found !== undefined) resolve(found);
      };
      waiting.add(check);
      check();
      return promise.finally(() => waiting.delete(check));
    },
  };
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // Not a message; the tests of purity look at the lines themselves.
  }
}
