import { join } from "node:path";
import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { makeFolder } from "../../test/support/workspace-folder.ts";

test.each([
  [["help"], ["--help"]],
  [
    ["help", "run"],
    ["run", "--help"],
  ],
  [
    ["help", "run", "weather"],
    ["run", "--help"],
  ],
  [
    ["help", "secrets"],
    ["secrets", "--help"],
  ],
  [
    ["help", "secrets", "set"],
    ["secrets", "set", "--help"],
  ],
  [
    ["agents", "help", "add"],
    ["agents", "add", "--help"],
  ],
])("%j gives what %j gives, with exit code 0", async (asked, same) => {
  const cli = cliIn(makeFolder(), makeHome());
  const help = await cli(asked);
  expect(help).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: toolyard /), stderr: "" });
  expect(help).toEqual(await cli(same));
});

test.each([
  [["help", "chekc"], 'There is no command "chekc" here. Did you mean "check"?'],
  [["help", "secrets", "sett"], 'There is no command "sett" here. Did you mean "set"?'],
  [["help", "zzzzzz"], 'There is no command "zzzzzz" here. There are: init, serve, list,'],
  [["chekc"], "unknown command 'chekc' (Did you mean check?)"],
])("%j is wrong usage, and the nearest command is named", async (asked, said) => {
  const { code, stdout, stderr } = await cliIn(makeFolder(), makeHome())(asked);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`INVALID_ARGUMENTS  ${said}`);
});

test("a folder that is not there is told with the command that makes a workspace in it", async () => {
  const folder = makeFolder();
  const cli = cliIn(folder, makeHome());
  const said = (from: string): string =>
    `INVALID_ARGUMENTS  The workspace ${join(folder, "no pe")} (from ${from}) is not there. Name the folder that holds tools.json, or make a workspace there with: toolyard init 'no pe'\n`;
  expect((await cli(["list", "-w", "no pe"])).stderr).toBe(said("-w"));
  expect((await cli(["list"], { TOOLYARD_WORKSPACE: "no pe" })).stderr).toBe(said("TOOLYARD_WORKSPACE"));
});
