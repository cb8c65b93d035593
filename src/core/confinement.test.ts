import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { confined, findConfinement, GUARD_NAMES } from "./confinement.ts";

async function folderOf(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolyard-confinement-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, target] of Object.entries(programs)) await symlink(target, join(folder, name));
  return folder;
}

test("a command with guards is the guards with the command as their last arguments", () => {
  const command = { program: "/bin/node", args: ["a.js"], cwd: "/" };
  expect(confined(command, { prefix: ["/bin/setpriv", "--no-new-privs"] })).toEqual({
    program: "/bin/setpriv",
    args: ["--no-new-privs", "/bin/node", "a.js"],
    cwd: "/",
  });
  expect(confined(command, { prefix: [] })).toEqual(command);
});

test("without Linux, and without its programs, nothing is put in front, and each guard has a reason", async () => {
  for (const [place, reason] of [
    [{ platform: "darwin" }, "it is for Linux only"],
    [{ platform: "linux", folders: [] }, "there is no cat in "],
  ] as const)
    expect(await findConfinement(place)).toEqual({ prefix: [], missing: new Map(GUARD_NAMES.map((name) => [name, reason])) });
});

test("a program that fails, one that is missing and one that does nothing are left out, each with its reason", async () => {
  const folder = await folderOf({ cat: "/bin/cat", prlimit: "/bin/false", unshare: "/usr/bin/env" });
  const { prefix, missing } = await findConfinement({ folders: [folder], platform: "linux" });
  expect(prefix).toEqual([]);
  expect(missing.get("dumps")).toBe(`${folder}/prlimit ended with 1`);
  expect(missing.get("privileges")).toBe(`there is no setpriv in ${folder}`);
  expect(missing.get("namespace")).toMatch(/^\S*(?:env|unshare): invalid option -- 'U'$/);
});

test("a program that others can change is not taken, also where the system has another one", async () => {
  const folder = await folderOf({ cat: "/bin/cat" });
  await writeFile(join(folder, "setpriv"), "#!/bin/sh\n");
  await chmod(join(folder, "setpriv"), 0o777);
  const { missing } = await findConfinement({ folders: [folder, "/usr/bin"], platform: "linux" });
  expect(missing.get("privileges")).toBe(`${folder}/setpriv is not a program that only root can change`);
});
