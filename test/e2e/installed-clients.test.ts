// Three clients, two transports, against the installed command with a folder of real scripts.
import { inject } from "vitest";
import { type ServerUnderTest, testClients } from "../support/client-suite.ts";
import type { Target } from "../support/mcp-clients.ts";
import { type InstalledWorkspace, makeInstalledWorkspace, startHttpTarget, stdioTarget } from "./installed-workspace.ts";

const cli = inject("installedCli");

async function underTest(start: (workspace: InstalledWorkspace) => Target | Promise<Target>): Promise<ServerUnderTest> {
  const workspace = await makeInstalledWorkspace(cli);
  return {
    target: await start(workspace),
    waitStarted: () => workspace.waitStarted,
    waitCancelled: () => workspace.waitCancelled,
    grow: async () => workspace.grow(),
    // Server and workspace go with the test.
    [Symbol.asyncDispose]: async () => undefined,
  };
}

testClients("stdio, installed", () => underTest((workspace) => stdioTarget(cli, workspace)));

testClients("HTTP, installed", () => underTest(startHttpTarget));
