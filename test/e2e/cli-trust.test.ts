// Taking trust back, and a person who is not there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { type CliBench, makeBench } from "./cli-process.ts";

const cli = inject("installedCli");
const host = (name: string, port: number): object => ({
  name,
  description: "Switches",
  script: "one.js",
  allowedHosts: [`127.0.0.1:${port}`],
});
const ENTRY = { kind: "private-host", tool: "lights", value: "127.0.0.1:1" };

function lightsBench(): CliBench {
  const bench = makeBench(cli);
  bench.write({
    "tools.json": { tools: [host("lights", 1), host("doors", 1), host("heating", 2)] },
    "one.js": "async function main() { return (await fetch('http://127.0.0.1:' + g.tool.args.port)).status; }\n",
  });
  return bench;
}

async function trusted(bench: CliBench): Promise<readonly string[]> {
  const list = JSON.parse((await bench.run(["trust", "--list", "--json"])).stdout);
  return list.trusted.map(({ tool, value }: { readonly tool: string; readonly value: string }) => `${tool} ${value}`);
}

/** Code of the call's failure; nothing listens on port 1. */
async function failure(bench: CliBench, tool: string): Promise<string> {
  return JSON.parse((await bench.run(["run", tool, "port=1", "--json"])).stdout).error.code;
}

const confirm = (bench: CliBench): Promise<unknown> => bench.run(["trust", "--yes"], { env: { TOOLYARD_CONFIRM: "1" } });

test.each([[[]], [["--yes"]]])(
  "trust %j where nobody can be asked exits with 2, says how a person can answer, and stores nothing",
  async (args) => {
    using bench = lightsBench();
    const run = await bench.run(["trust", ...args]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^APPROVAL_REQUIRED {2}.*terminal/m);
    expect(run.stderr).toContain("TOOLYARD_CONFIRM=1");
    expect(existsSync(join(bench.home, "workspaces"))).toBe(false);
  },
);

test("trust --list shows what is trusted and what is off, and leaves no trace in a folder that was never served", async () => {
  using bench = lightsBench();
  const before = JSON.parse((await bench.run(["trust", "--list", "--json"])).stdout);
  expect(before).toMatchObject({ trusted: [], asked: [ENTRY, { tool: "doors" }, { tool: "heating" }] });
  expect(existsSync(join(bench.folder, ".toolyard"))).toBe(false);
  await confirm(bench);
  const after = JSON.parse((await bench.run(["trust", "--list", "--json"])).stdout);
  expect(after).toMatchObject({ asked: [], trusted: [{ ...ENTRY, isAskedFor: true }, { tool: "doors" }, { tool: "heating" }] });
  bench.write({ "tools.json": { tools: [] } });
  expect((await bench.run(["trust", "--list"])).stdout).toMatch(
    /private-host {2}lights {3}127\.0\.0\.1:1 {2}\(since .*, not asked for any more\)/,
  );
});

test("trust --revoke takes back the entry that is named, and the others stay", async () => {
  using bench = lightsBench();
  await confirm(bench);
  expect(await failure(bench, "lights")).toBe("NETWORK_ERROR");
  const run = await bench.run(["trust", "--revoke", "--kind", "private-host", "--tool", "lights", "--value", "127.0.0.1:1"]);
  expect(run).toMatchObject({ code: 0, stdout: "Taken back; running servers act on it with the next call.\n" });
  expect(run.stderr).toMatch(/^This will be off again:\n {2}private-host {2}lights {2}127\.0\.0\.1:1 {2}\(since [\d-]+\)\n$/);
  expect(await failure(bench, "lights")).toBe("NOT_TRUSTED");
  expect(await failure(bench, "doors")).toBe("NETWORK_ERROR");
  expect(await trusted(bench)).toEqual(["doors 127.0.0.1:1", "heating 127.0.0.1:2"]);
});

test("trust --revoke takes back all of a value, or all there is, and trust gives it again", async () => {
  using bench = lightsBench();
  await confirm(bench);
  const part = JSON.parse((await bench.run(["trust", "--revoke", "--value", "127.0.0.1:1", "--json"])).stdout);
  expect(part.revoked).toMatchObject([ENTRY, { tool: "doors" }]);
  expect(await trusted(bench)).toEqual(["heating 127.0.0.1:2"]);
  expect((await bench.run(["trust", "--revoke"])).code).toBe(0);
  expect(await trusted(bench)).toEqual([]);
  expect(await bench.run(["trust", "--revoke"])).toEqual({ code: 0, stdout: "Nothing is trusted here.\n", stderr: "" });
  await confirm(bench);
  expect((await trusted(bench)).length).toBe(3);
});

test("trust --revoke of something that is not trusted fails and takes nothing back", async () => {
  using bench = lightsBench();
  await confirm(bench);
  const run = await bench.run(["trust", "--revoke", "--tool", "Lights"]);
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/^INVALID_REQUEST {2}/);
  expect((await trusted(bench)).length).toBe(3);
});
