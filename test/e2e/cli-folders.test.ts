// Folders as people have them: none that can be made, a file in its place, one without tools, one that is no workspace.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const ONE = { tools: [{ name: "one", description: "Gives 1", script: "one.js" }] };
const SCRIPT = "function main() { return 1; }\n";

test.skipIf(!existsSync("/proc/self"))("init in a file system that takes no folders ends at once with exit code 1", async () => {
  using bench = makeBench(cli);
  const run = await bench.run(["init", "/proc/toolyard-test/mine"]);
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/^STORE_ERROR {2}The folder \/proc\/toolyard-test could not be made/);
});

test.skipIf(!existsSync("/proc/self"))("secrets set with a home folder that cannot be made ends at once with exit code 1", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": ONE, "one.js": SCRIPT });
  const env = { TOOLYARD_HOME: "/proc/toolyard-test" };
  const run = await bench.run(["secrets", "set", "API_KEY", "--host", "api.example.com"], { env, input: "value-of-the-test" });
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/^STORE_ERROR {2}The folder \/proc\/toolyard-test could not be made/);
});

test("init where a file stands, or below one, says that it is not a folder", async () => {
  using bench = makeBench(cli);
  bench.write({ file: "mine" });
  for (const dir of ["file", "file/below/it"]) {
    const run = await bench.run(["init", dir]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(`STORE_ERROR  ${join(bench.folder, "file")} is not a folder.`);
  }
  expect(readFileSync(join(bench.folder, "file"), "utf8")).toBe("mine");
});

test("the first tool that list and check suggest for an empty tools.json works", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": { tools: [] } });
  const listed = await bench.run(["list"]);
  const checked = await bench.run(["check"]);
  expect([listed.code, checked.code]).toEqual([0, 0]);
  const lines = checked.stdout.split("\n").map((line) => line.trim());
  expect(listed.stdout).toContain(checked.stdout);
  const [entry = ""] = lines.filter((line) => line.startsWith("{"));
  const [script = ""] = lines.filter((line) => line.startsWith("function"));
  bench.write({ "tools.json": { tools: [JSON.parse(entry)] }, "scripts/hello.js": script });
  expect(lines).toContain("Then: toolyard run hello");
  expect(await bench.run(["run", "hello"])).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
});

test("a folder without tools.json is told which init to run, and a broken tools.json is not taken for an empty one", async () => {
  using bench = makeBench(cli);
  bench.write({ "my tools/note.txt": "" });
  const missing = await bench.run(["check", "-w", "my tools"]);
  expect(missing.code).toBe(1);
  expect(missing.stdout).toContain("No tools yet. Two to begin with: toolyard init 'my tools'\n");
  writeFileSync(join(bench.folder, "my tools/tools.json"), "{");
  for (const command of ["check", "list"]) expect((await bench.run([command, "-w", "my tools"])).stdout).not.toContain("No tools yet");
});

test("doctor outside of any workspace says so as information, and as a fault where TOOLYARD_WORKSPACE names none", async () => {
  using bench = makeBench(cli);
  const calm = await bench.run(["doctor"]);
  expect(calm.code).toBe(0);
  expect(calm.stdout).toMatch(/^info {5}workspace {7}no workspace here/m);
  expect(calm.stdout).toMatch(/\nAll is well\.\n$/);
  const json = JSON.parse((await bench.run(["doctor", "--json"])).stdout);
  expect(json).toMatchObject({ problems: [], notes: { workspace: expect.stringContaining("no workspace here") } });
  const wrong = await bench.run(["doctor", "--json"], { env: { TOOLYARD_WORKSPACE: "nowhere" } });
  expect(JSON.parse(wrong.stdout).problems).toMatchObject([{ code: "FILE_MISSING", severity: "warning" }]);
});
