// Three clients, two transports, against a server of tools in code that runs as a process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, watch, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type ServerUnderTest, testClients } from "../support/client-suite.ts";
import type { Target } from "../support/mcp-clients.ts";
import { SIGNAL_FILES } from "../support/mcp-engine.ts";

const SCRIPT = fileURLToPath(new URL("../support/mcp-test-server.ts", import.meta.url));
const TOKEN = "test-token";

/** Resolves once the file is there. */
async function fileAppears(folder: string, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (existsSync(join(folder, name))) resolve();
  };
  const watcher = watch(folder, check);
  check();
  await promise;
  watcher.close();
}

async function underTest(
  target: (folder: string) => Promise<{ readonly target: Target; stop(): Promise<unknown> }>,
): Promise<ServerUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "toolyard-clients-"));
  const started = await target(folder);
  return {
    target: started.target,
    waitStarted: () => fileAppears(folder, SIGNAL_FILES.started),
    waitCancelled: () => fileAppears(folder, SIGNAL_FILES.cancelled),
    grow: async () => writeFileSync(join(folder, SIGNAL_FILES.grow), ""),
    [Symbol.asyncDispose]: async () => {
      await started.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

testClients("stdio", () =>
  underTest(async (folder) => ({
    target: { kind: "stdio", command: process.execPath, args: [SCRIPT, "stdio", folder] },
    stop: async () => undefined,
  })),
);

testClients("HTTP", () =>
  underTest(async (folder) => {
    const child = spawn(process.execPath, [SCRIPT, "http", folder, TOKEN], { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const [url] = await once(createInterface({ input: child.stdout }), "line");
    const stop = async (): Promise<unknown> => {
      child.kill("SIGTERM");
      return exited;
    };
    return { target: { kind: "http", url: String(url), token: TOKEN }, stop };
  }),
);
