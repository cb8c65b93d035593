// The official inspector's command-line mode, as a person would type it, against the installed command.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import type { Target } from "../support/mcp-clients.ts";
import { type CliRun, finished } from "./cli-process.ts";
import { type InstalledWorkspace, makeInstalledWorkspace, startHttpTarget, stdioTarget } from "./installed-workspace.ts";

const cli = inject("installedCli");
const INSPECTOR = fileURLToPath(new URL("../../node_modules/.bin/mcp-inspector", import.meta.url));

const TARGETS: readonly (readonly [string, (workspace: InstalledWorkspace) => Target | Promise<Target>])[] = [
  ["stdio", (workspace) => stdioTarget(cli, workspace)],
  ["HTTP", startHttpTarget],
];

test.each(TARGETS)("the inspector lists and calls a tool over %s, in either protocol generation", async (_name, start) => {
  const workspace = await makeInstalledWorkspace(cli);
  const target = await start(workspace);
  for (const era of ["legacy", "modern"]) {
    const inspect = (...args: readonly string[]): Promise<CliRun> =>
      runInspector(workspace, target, ["--protocol-era", era, "--method", ...args]);
    const listed = await inspect("tools/list");
    expect({ code: listed.code, names: namesIn(listed) }).toEqual({
      code: 0,
      names: ["GetWorkspaceTools", "ExecuteWorkspaceTool", "ReloadWorkspaceTools", "ReadWorkspaceResult", "echo", "pick", "wait"],
    });
    const called = await inspect("tools/call", "--tool-name", "echo", "--tool-arg", "text=hello");
    expect({ code: called.code, result: resultOf(called) }).toMatchObject({
      code: 0,
      result: { content: [{ type: "text", text: '{"text":"hello"}' }], structuredContent: { text: "hello" } },
    });
  }
});

/** Runs it with a home of its own, where it may keep its files. */
async function runInspector({ bench }: InstalledWorkspace, target: Target, args: readonly string[]): Promise<CliRun> {
  const reach =
    target.kind === "stdio"
      ? [...Object.entries(target.env ?? {}).flatMap(([name, value]) => ["-e", `${name}=${value}`]), "--", target.command, ...target.args]
      : ["--server-url", target.url, "--transport", "http", "--header", `Authorization: Bearer ${target.token}`, "--stored-auth-only"];
  const child = spawn(process.execPath, [INSPECTOR, "--cli", "--format", "json", "--quiet", ...args, ...reach], {
    cwd: bench.home,
    env: { PATH: process.env.PATH ?? "", HOME: bench.home },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end();
  return finished(child);
}

function resultOf({ stdout, stderr }: CliRun): { readonly tools?: readonly { readonly name: string }[] } {
  if (stdout === "") throw new Error(`the inspector said nothing but: ${stderr}`);
  return JSON.parse(stdout).result;
}

function namesIn(run: CliRun): readonly string[] {
  return (resultOf(run).tools ?? []).map(({ name }) => name);
}
