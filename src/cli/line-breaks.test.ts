import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";
import { problemLines } from "./problem-view.ts";

/** Would begin a row of its own, where a line feed in a name were one. */
const ROW = "x\nerror  FORGED  all is well";

function forgingFolder(): string {
  const folder = makeFolder();
  const properties = { [ROW]: { type: "string" } };
  const tools = [
    { ...entry("plain"), parameters: { type: "object", properties, required: [ROW] }, output: { type: "object", properties } },
    { ...entry("unknown"), [ROW]: 1 },
    entry("header", { headers: { [ROW]: "a" } }),
    entry("query", { query: { [ROW]: "a" } }),
    { ...entry("schema"), parameters: { type: "object", properties: { [ROW]: { type: "string", pattern: "(" } } } },
    entry(ROW),
  ];
  const files = { "tools.json": { tools, [ROW]: 1 }, "toolyard.json": { [ROW]: 1 }, "scripts/a.js": PLAIN_SCRIPT };
  putFiles(folder, { ...files, "prompts.json": { prompts: [{ name: ROW, description: "d", text: "t" }] } });
  return folder;
}

test.each([["list"], ["check"], ["describe plain"], ["secrets check"], ["trust"]])(
  "a line feed in a name or key of a file begins no row in what %s shows",
  async (command) => {
    const { stdout, stderr } = await cliIn(forgingFolder(), makeHome())(command.split(" "));
    const rows = (stdout + stderr).split("\n").map((row) => row.trim());
    expect(rows.filter((row) => row.startsWith("error  FORGED") || row.startsWith("FORGED"))).toEqual([]);
    if (command === "list" || command.endsWith("check")) expect(stdout).toContain(String.raw`x\u000aerror  FORGED`);
  },
);

test("a tab of a name is shown as text, and our own texts keep their lines", async () => {
  const folder = makeFolder();
  putFiles(folder, { "tools.json": { tools: [entry("a\tb")] }, "scripts/a.js": PLAIN_SCRIPT });
  const { stdout } = await cliIn(folder, makeHome())(["check"]);
  expect(stdout).toContain(String.raw`a\u0009b: `);
  const own = { code: "VAULT", severity: "error", place: { kind: "none" }, message: "first\n  second" } as const;
  expect(problemLines([own], (_tone, text) => text)).toEqual(["error    VAULT  first", "       second"]);
});
