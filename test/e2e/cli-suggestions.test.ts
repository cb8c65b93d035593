// What a message tells a person to run can be pasted as it stands.
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { type CliBench, makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const FILES = {
  "my tools/tools.json": {
    tools: [
      {
        name: "api",
        description: "Asks",
        script: "one.js",
        allowedHosts: ["api.example.com"],
        headers: { "X-Key": "{{API_KEY}}" },
      },
      { name: "lights", description: "Switches", script: "one.js", allowedHosts: ["192.168.1.20:8080"] },
    ],
  },
  "my tools/one.js": "function main() { return 1; }\n",
};
const STORE = "toolyard secrets set -w 'my tools' API_KEY --host api.example.com";

/** What the command says, stdout and stderr. */
async function said(bench: CliBench, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, stderr } = await bench.run(args, { env });
  return stdout + stderr;
}

test("commands for a workspace named by -w name it too", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const at = ["-w", "my tools"];
  for (const args of [["list"], ["check"], ["describe", "api"], ["run", "api"]])
    expect(await said(bench, [...args, ...at])).toContain(STORE);
  for (const args of [["list"], ["check"], ["trust", "--list"]])
    expect(await said(bench, [...args, ...at]), args.join(" ")).toContain("toolyard trust -w 'my tools'");
  expect(await said(bench, ["secrets", "list", ...at])).toContain("toolyard secrets set -w 'my tools' NAME");
  expect(await said(bench, ["secrets", "remove", "NONE", ...at])).toContain("toolyard secrets list -w 'my tools'");
  expect(await said(bench, ["agents", "list", ...at])).toContain("toolyard agents add -w 'my tools' NAME");
});

test("commands for a workspace named by TOOLYARD_WORKSPACE name its whole path", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const whole = join(bench.folder, "my tools");
  expect(await said(bench, ["run", "api"], { TOOLYARD_WORKSPACE: "my tools" })).toContain(`toolyard secrets set -w '${whole}' API_KEY`);
});

test("in the workspace itself commands stay short, and for the secrets of all workspaces they have --global", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const { stderr } = await bench.run(["run", "api"], { cwd: join(bench.folder, "my tools") });
  expect(stderr).toContain("toolyard secrets set API_KEY --host api.example.com");
  expect(await said(bench, ["secrets", "remove", "NONE", "--global"])).toContain("toolyard secrets list --global");
});

test("a tool that is not there is looked for with toolyard list on the command line", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  for (const command of ["run", "describe"]) {
    const { stderr } = await bench.run([command, "nothing-like-it", "-w", "my tools"]);
    expect(stderr).toBe(`TOOL_NOT_FOUND  There is no tool "nothing-like-it" here. toolyard list -w 'my tools' lists what there is.\n`);
  }
});

test("with --json a failed call is what a client gets, without words for the command line", async () => {
  using bench = makeBench(cli);
  bench.write(FILES);
  const { stdout } = await bench.run(["run", "api", "-w", "my tools", "--json"]);
  expect(JSON.parse(stdout).error.commands).toEqual(["toolyard secrets set API_KEY --host api.example.com"]);
  expect(JSON.parse(stdout).error.message).not.toContain("-w");
});
