import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome, storeSecret } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";
import { readConfig } from "./config.ts";
import { workspaceProbe } from "./doctor/workspace.ts";

/** A folder with the workspace `s`, whose one tool needs MYKEY, stored for it. */
async function secretBench(): Promise<{ readonly cli: ReturnType<typeof cliIn>; readonly folder: string; readonly home: string }> {
  const folder = makeFolder();
  const root = join(folder, "s");
  const tool = entry("one", { headers: { "X-Key": "{{MYKEY}}" }, allowedHosts: ["api.example.com"] });
  putFiles(root, { "tools.json": { tools: [tool] }, "scripts/a.js": PLAIN_SCRIPT });
  const home = makeHome();
  await storeSecret({ root, home }, "MYKEY", "sk-live-0123456789", { hosts: ["api.example.com"] });
  return { cli: cliIn(folder, home), folder, home };
}

test.each([
  ["lost its id", (folder: string) => rmSync(join(folder, "s/.toolyard"), { recursive: true }), "s"],
  ["was moved", (folder: string) => renameSync(join(folder, "s"), join(folder, "t")), "t"],
])("in a workspace that %s every command says that trust comes first, and none to store the secret", async (_what, change, name) => {
  const { cli, folder, home } = await secretBench();
  expect((await cli(["check", "-w", "s"])).stdout).toContain("\n1 tool ready. Nothing to mend.\n");
  change(folder);
  for (const args of [["run", "one"], ["list"], ["check"], ["describe", "one"], ["secrets", "list"]]) {
    const { stdout, stderr } = await cli([...args, "-w", name]);
    expect(stdout + stderr, args.join(" ")).toContain(`toolyard trust -w ${name}`);
    expect(stdout + stderr, args.join(" ")).not.toContain("secrets set");
  }
  const json = async (...args: string[]): Promise<unknown> => JSON.parse((await cli([...args, "-w", name, "--json"])).stdout);
  expect(await json("run", "one")).toMatchObject({ error: { code: "NOT_TRUSTED" } });
  expect(await json("list")).toMatchObject({ tools: [{ status: "limited", problem: { code: "NOT_TRUSTED" } }] });
  expect(await json("check")).toMatchObject({ problems: [{ code: "NOT_TRUSTED", severity: "warning" }], waiting: ["one"] });
  const context = { cli: { config: readConfig({ TOOLYARD_HOME: home }) }, root: join(folder, name), rootProblem: undefined };
  expect(await workspaceProbe.run(context)).toMatchObject([{ code: "WORKSPACE_ID", severity: "warning" }]);
});

test("trust in a workspace that lost its id says that its secrets do not come along, and then they can be stored again", async () => {
  const { cli, folder } = await secretBench();
  rmSync(join(folder, "s/.toolyard"), { recursive: true });
  const { code, stderr } = await cli(["trust", "--yes", "-w", "s"], { TOOLYARD_CONFIRM: "1" });
  expect([code, stderr]).toEqual([0, expect.stringContaining("secrets and tokens of the one before do not come along")]);
  expect((await cli(["run", "one", "-w", "s"])).stderr).toMatch(/^SECRET_MISSING .*\n {2}toolyard secrets set -w s MYKEY/);
});

test("an empty name of a folder, as of a variable that is not set, is refused and does not mean the current one", async () => {
  const folder = makeFolder();
  putFiles(folder, { "tools.json": { tools: [entry("one")] }, "scripts/a.js": PLAIN_SCRIPT });
  const cli = cliIn(folder, makeHome());
  expect((await cli(["list"])).code).toBe(0);
  for (const args of [
    ["list", "-w", ""],
    ["check", "--workspace="],
    ["doctor", "-w", ""],
    ["secrets", "list", "-w", ""],
    ["init", ""],
  ]) {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stdout, stderr], args.join(" ")).toEqual([2, "", expect.stringMatching(/^INVALID_ARGUMENTS {2}.* empty\. /)]);
  }
});

test("run says on stderr that a result is cut, and only then", async () => {
  const folder = makeFolder();
  putFiles(folder, {
    "tools.json": { tools: [entry("long")] },
    "scripts/a.js": 'function main() { return "x".repeat(2_000); }\n',
    "toolyard.json": { limits: { resultCharacters: 1_000 } },
  });
  const cli = cliIn(folder, makeHome());
  const cut = await cli(["run", "long"]);
  const [leftOut] = /\d+(?= of 2000 characters left out)/.exec(cut.stdout) ?? [];
  expect(Number(leftOut)).toBeGreaterThan(1_000);
  expect([cut.code, cut.stderr]).toEqual([
    0,
    `The result is cut: ${leftOut} characters are left out, over the limit "resultCharacters".\n`,
  ]);
  putFiles(folder, { "toolyard.json": { limits: { resultCharacters: 2_000 } } });
  expect(await cli(["run", "long"])).toEqual({ code: 0, stdout: `${"x".repeat(2_000)}\n`, stderr: "" });
});

test("run in a folder without tools.json names the file once", async () => {
  const { code, stderr } = await cliIn(makeFolder(), makeHome())(["run", "one", "-w", "."]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("no tools now: tools.json is not there. Fix it")]);
});

test("fetch of an empty text says that it is empty", async () => {
  const folder = makeFolder();
  const tool = entry("get", { parameters: { type: "object", properties: { url: { type: "string" } } } });
  putFiles(folder, { "tools.json": { tools: [tool] }, "scripts/a.js": "async function main() { await fetch(g.tool.args.url); }\n" });
  const { code, stderr } = await cliIn(folder, makeHome())(["run", "get", "url="]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('or as "url" of its options; it got an empty text.\n')]);
});
