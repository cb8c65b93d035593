import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";
import { readConfig } from "./config.ts";
import { workspaceProbe } from "./doctor/workspace.ts";

const CONFIRM = { TOOLYARD_CONFIRM: "1" };
const FINDING = { code: "AGENTS_LOST", severity: "error", file: "toolyard.json" };
const WAYS_OUT = "Define them again, or say that there shall be none any more: toolyard trust -w z";

/** A workspace `z` that had agents: `run` has seen them, and toolyard.json is gone since. */
async function lostBench(): Promise<{ readonly cli: ReturnType<typeof cliIn>; readonly root: string; readonly home: string }> {
  const folder = makeFolder();
  const root = join(folder, "z");
  putFiles(root, {
    "tools.json": { tools: [entry("one")] },
    "scripts/a.js": PLAIN_SCRIPT,
    "toolyard.json": { agents: [{ agentId: "ci" }] },
  });
  const home = makeHome();
  const cli = cliIn(folder, home);
  expect(await cli(["run", "one", "-w", "z"])).toEqual({ code: 0, stdout: "1\n", stderr: "" });
  rmSync(join(root, "toolyard.json"));
  return { cli, root, home };
}

test("lost agents are said by run, describe, list, check and doctor with both ways out, and none takes the folder for an empty one", async () => {
  const { cli, root, home } = await lostBench();
  for (const args of [
    ["run", "one"],
    ["describe", "one"],
  ]) {
    const { code, stderr } = await cli([...args, "-w", "z"]);
    expect([code, stderr], args[0]).toEqual([2, expect.stringContaining(WAYS_OUT)]);
  }
  for (const command of ["list", "check"]) {
    const { code, stdout } = await cli([command, "-w", "z"]);
    expect([code, stdout], command).toEqual([1, expect.stringContaining(WAYS_OUT)]);
    expect(stdout).not.toContain("No tools yet");
  }
  for (const command of ["list", "check"]) {
    const { code, stdout } = await cli([command, "-w", "z", "--json"]);
    expect([code, JSON.parse(stdout).problems], command).toMatchObject([1, [FINDING]]);
  }
  const found = await workspaceProbe.run({ cli: { config: readConfig({ TOOLYARD_HOME: home }) }, root, rootProblem: undefined });
  expect(found).toMatchObject([{ code: "AGENTS_LOST", severity: "error", mend: expect.stringContaining(`toolyard trust -w ${root}`) }]);
});

test("trust ends the agents once a person says so, shows that, and takes it back", async () => {
  const { cli } = await lostBench();
  const asked = await cli(["trust", "-w", "z"]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("every caller gets every tool")]);
  expect((await cli(["trust", "--yes", "-w", "z"])).code).toBe(2);
  expect((await cli(["run", "one", "-w", "z"])).code).toBe(2);
  expect(JSON.parse((await cli(["trust", "--list", "-w", "z", "--json"])).stdout)).toEqual({ trusted: [], asked: [], agentsLost: true });
  const ended = await cli(["trust", "--yes", "-w", "z", "--json"], CONFIRM);
  expect(JSON.parse(ended.stdout)).toEqual({ trusted: [], adopted: false, agentsEnded: true });
  expect((await cli(["run", "one", "-w", "z"])).stdout).toBe("1\n");
  expect((await cli(["check", "-w", "z"])).stdout).toContain("\n1 tool ready. Nothing to mend.\n");
  expect((await cli(["trust", "--list", "-w", "z"])).stdout).toMatch(/^Trusted here:\n {2}no-agents {2}/);
  expect((await cli(["trust", "--revoke", "--kind", "no-agents", "-w", "z"])).code).toBe(0);
  expect((await cli(["run", "one", "-w", "z"])).code).toBe(2);
});

test("what a person ended here opens no copy, and agents that come back later are missed again", async () => {
  const { cli, root } = await lostBench();
  cpSync(root, join(root, "../copy"), { recursive: true });
  await cli(["trust", "--yes", "-w", "z"], CONFIRM);
  expect((await cli(["run", "one", "-w", "copy"])).code).toBe(2);
  putFiles(root, { "toolyard.json": { agents: [{ agentId: "ci" }] } });
  expect((await cli(["run", "one", "-w", "z"])).code).toBe(0);
  rmSync(join(root, "toolyard.json"));
  expect((await cli(["run", "one", "-w", "z"])).code).toBe(2);
});

test("a folder that lost its id with its agents is refused all the same, and trust ends it there too", async () => {
  const { cli, root } = await lostBench();
  rmSync(join(root, ".toolyard"), { recursive: true });
  for (const [command, code] of [
    ["run one", 2],
    ["list", 1],
    ["check", 1],
  ] as const)
    expect((await cli([...command.split(" "), "-w", "z"])).code, command).toBe(code);
  expect((await cli(["trust", "--yes", "-w", "z"], CONFIRM)).code).toBe(0);
  expect((await cli(["run", "one", "-w", "z"])).code).toBe(0);
});
