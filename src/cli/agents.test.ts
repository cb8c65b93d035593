import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";

function bench(settings?: unknown): { readonly cli: ReturnType<typeof cliIn>; readonly root: string; readonly home: string } {
  const folder = makeFolder();
  const root = join(folder, "w");
  putFiles(root, { "tools.json": { tools: [entry("one")] }, "scripts/a.js": PLAIN_SCRIPT });
  if (settings !== undefined) putFiles(root, { "toolyard.json": settings });
  const home = makeHome();
  return { cli: cliIn(folder, home), root, home };
}

test("a second token for an agent is made only where it is asked for, and then the number is told", async () => {
  const { cli } = bench();
  const add = (...more: readonly string[]) => cli(["agents", "add", "laptop", "-w", "w", ...more]);
  const first = await add();
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^ty_\S{43}\n$/)]);
  expect(first.stderr).not.toContain("tokens");
  const again = await add();
  expect([again.code, again.stdout]).toEqual([1, ""]);
  expect(again.stderr).toMatch(/^INVALID_REQUEST {2}laptop has a token here, made \d{4}-\d\d-\d\d, and it stays good\. /);
  expect(again.stderr).toContain("toolyard agents remove -w w laptop\n");
  expect(again.stderr).toContain("toolyard agents add -w w laptop --another\n");
  expect(JSON.parse((await cli(["agents", "list", "-w", "w", "--json"])).stdout).agents).toHaveLength(1);
  const another = await add("--another", "--json");
  expect(JSON.parse(another.stdout)).toEqual({ agent: "laptop", token: expect.stringMatching(/^ty_/), tokens: 2 });
  expect(another.stderr).toBe("laptop has 2 tokens here now, and each is good. All of them end with: toolyard agents remove -w w laptop\n");
  expect((await cli(["agents", "remove", "laptop", "-w", "w"])).stdout).toBe(
    "Removed 2 tokens of laptop; running servers refuse it from now on.\n",
  );
  expect((await add()).code).toBe(0);
});

test("a name that no token can be made for is wrong usage and leaves nothing behind", async () => {
  const { cli, root, home } = bench();
  const { code, stderr } = await cli(["agents", "add", "a/b", "-w", "w"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^INVALID_ARGUMENTS {2}An agent's name has 1 to 64 .*; found "a\/b"\.\n$/)]);
  expect([existsSync(join(root, ".toolyard")), existsSync(join(home, "agents.json"))]).toEqual([false, false]);
  const defined = bench({ agents: [{ agentId: "ci" }] });
  const unknown = await defined.cli(["agents", "add", "cd", "-w", "w"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('No agent "cd" is defined in toolyard.json')]);
});

test("while the agents of a workspace are lost no token is made, and both ways out are told", async () => {
  const { cli, root } = bench({ agents: [{ agentId: "ci" }] });
  expect((await cli(["agents", "add", "ci", "-w", "w"])).code).toBe(0);
  rmSync(join(root, "toolyard.json"));
  const { code, stdout, stderr } = await cli(["agents", "add", "ci", "--another", "-w", "w"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Define them again, or say that there shall be none any more: toolyard trust -w w");
  expect(JSON.parse((await cli(["agents", "list", "-w", "w", "--json"])).stdout)).toMatchObject({ agents: [{ agent: "ci" }] });
});

test.each([["run", "one"], ["list"], ["describe", "one"]])("%s refuses an agent in a workspace that defines none", async (...words) => {
  const { cli } = bench();
  const { code, stdout, stderr } = await cli([...words, "--agent", "bob", "-w", "w"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^INVALID_ARGUMENTS {2}No agent "bob" is defined here: this workspace has no agents\. Leave out --agent, /);
});
