// Toolyard's own folder in the workspace would hand keys and trust to whoever edits the workspace.
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTrust } from "../../src/policy/trust-store.ts";
import { workspaceIdentity } from "../../src/workspace/workspace-identity.ts";
import { cliIn } from "../support/cli.ts";
import { entry, makeFolder, PLAIN_SCRIPT } from "../support/workspace-folder.ts";

/** Every command that opens a workspace. */
const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["describe", "one"],
  ["run", "one"],
  ["check"],
  ["doctor"],
  ["trust", "--list"],
  ["trust", "--yes"],
  ["serve"],
  ["serve", "--http", "0"],
  ["agents", "list"],
  ["agents", "add", "ci"],
  ["agents", "remove", "ci"],
  ["secrets", "list"],
  ["secrets", "check"],
  ["secrets", "set", "KEY", "--host", "api.example.com"],
  ["secrets", "remove", "KEY"],
];

const TOOLS = { "tools.json": { tools: [entry("one")] }, "scripts/a.js": PLAIN_SCRIPT };

test("with toolyard's own folder in the workspace what is trusted would be a file of it; every command refuses, and makes nothing", async () => {
  const open = makeFolder(TOOLS);
  const identity = workspaceIdentity(open);
  await openTrust(join(open, "home"), identity).add([]);
  expect(readdirSync(open, { recursive: true })).toContain(join("home", "workspaces", `${identity.id}.json`));
  const root = makeFolder(TOOLS);
  const elsewhere = makeFolder();
  symlinkSync(root, join(elsewhere, "link"));
  const before = readdirSync(root, { recursive: true });
  for (const home of [join(root, "home"), root, join(elsewhere, "link", "deep", "home")]) {
    for (const args of COMMANDS) {
      const { code, stdout, stderr } = await cliIn(root, home)(args, { TOOLYARD_CONFIRM: "1" });
      expect([args.join(" "), code, stdout, stderr]).toEqual([
        args.join(" "),
        1,
        "",
        expect.stringContaining(`STORE_ERROR  Toolyard's own folder ${home} lies in the workspace ${root}: `),
      ]);
    }
  }
  expect(readdirSync(root, { recursive: true })).toEqual(before);
});

test("a workspace in toolyard's own folder is refused likewise, and one beside it is not", async () => {
  const folder = makeFolder({ "home/work/tools.json": TOOLS["tools.json"], "home-work/tools.json": { tools: [] } });
  mkdirSync(join(folder, "home", "work", "scripts"));
  const cli = cliIn(folder, join(folder, "home"));
  expect(await cli(["list", "-w", "home/work"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`The workspace ${join(folder, "home/work")} lies in toolyard's own folder ${join(folder, "home")}, `),
  });
  expect((await cli(["list", "-w", "home-work"])).code).toBe(0);
});
