import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { makeBench } from "./cli-process.ts";

const cli = inject("installedCli");

const TOOLS = {
  tools: [
    {
      name: "echo",
      description: "Gives its arguments back",
      script: "scripts/echo.js",
      parameters: {
        type: "object",
        properties: { text: { type: "string" }, count: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
      },
    },
    { name: "noisy", description: "Logs and reports progress", script: "scripts/noisy.js" },
    { name: "fails", description: "Says no", script: "scripts/fails.js" },
  ],
};
const SCRIPTS = {
  "scripts/echo.js": "function main() { return g.tool.args; }\n",
  "scripts/noisy.js": 'function main() { console.log("a line"); g.run.progress(1, 2, "half"); return "done"; }\n',
  "scripts/fails.js": 'function main() { return g.result.fail("not today"); }\n',
};

test("init makes a workspace whose tools can be listed, described and run", async () => {
  using bench = makeBench(cli);
  const made = await bench.run(["init", "mine"]);
  expect(made.code).toBe(0);
  expect(made.stdout.split("\n")[0]).toBe("Made scripts/weather-now.js, scripts/word-count.js, tools.json in mine.");
  const listed = await bench.run(["list", "-w", "mine"]);
  expect(listed.stdout.split("\n")).toEqual([
    "toolyard 0.1.0 · mine · 2 tools",
    "",
    "  word-count   ready   Count the words and characters of a text",
    "  weather-now  ready   Temperature and wind at a place, now      → api.open-meteo.com",
    "",
  ]);
  const described = await bench.run(["describe", "word-count", "-w", "mine", "--json"]);
  expect(JSON.parse(described.stdout).tools[0].name).toBe("word-count");
  const ran = await bench.run(["run", "word-count", "text=Hello there.", "-w", "mine"]);
  expect(ran).toEqual({ code: 0, stdout: `${JSON.stringify({ words: 2, characters: 12 }, null, 2)}\n`, stderr: "" });
  const checked = (await bench.run(["check", "-w", "mine"])).stdout;
  expect(checked).toMatch(/^Clients, by rule, where the server is named "toolyard":\n {2}as is in Claude Code, /);
  expect(checked).toMatch(/\n2 tools ready\. Nothing to mend\.\n$/);
});

test("init overwrites nothing", async () => {
  using bench = makeBench(cli);
  bench.write({ "scripts/word-count.js": "mine" });
  const made = await bench.run(["init"]);
  expect(made.code).toBe(1);
  expect(made.stderr).toMatch(/^STORE_ERROR {2}scripts\/word-count\.js is in /);
  expect(readFileSync(join(bench.folder, "scripts/word-count.js"), "utf8")).toBe("mine");
  expect(readdirSync(bench.folder)).toEqual(["scripts"]);
});

test("run types key=value by the schema, and takes whole objects from --args, a file and stdin", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS, "args.json": { text: "from file", count: 1 } });
  const value = async (args: readonly string[], input = ""): Promise<unknown> => {
    const ran = await bench.run(["run", "echo", ...args, "--json"], { input });
    return JSON.parse(ran.stdout).value;
  };
  expect(await value(["text=42", "count=42", 'tags=["a"]'])).toEqual({ text: "42", count: 42, tags: ["a"] });
  expect(await value(["--args", '{"text":"x"}', "count=2"])).toEqual({ text: "x", count: 2 });
  expect(await value(["--args", "@args.json"])).toEqual({ text: "from file", count: 1 });
  expect(await value(["--args", "-"], '{"text":"from stdin"}')).toEqual({ text: "from stdin" });
});

test("progress and log lines go to stderr, the answer alone to stdout", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  const ran = await bench.run(["run", "noisy"]);
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(ran.stderr.split("\n").sort()).toEqual(["", "info: a line", "progress: 1/2 half"]);
});

test("a call that fails exits with 1 and prints its code, also as JSON", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  const failed = await bench.run(["run", "fails"]);
  expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code: 1, stdout: "" });
  expect(failed.stderr).toMatch(/^SCRIPT_ERROR {2}.*not today/);
  const missing = await bench.run(["run", "ecko", "--json"]);
  expect(missing.code).toBe(1);
  expect(JSON.parse(missing.stdout).error).toMatchObject({ code: "TOOL_NOT_FOUND", nearest: "echo" });
  const unfit = await bench.run(["run", "echo", "count=ten", "--json"]);
  expect(JSON.parse(unfit.stdout).error).toMatchObject({ code: "INVALID_ARGUMENTS", issues: [{ path: "count" }] });
});

test("check names file, line and column of what is wrong, and exits with 1", async () => {
  using bench = makeBench(cli);
  const broken = { name: "broken", description: "Does not parse", script: "scripts/broken.js" };
  bench.write({
    "tools.json": { tools: [...TOOLS.tools, broken] },
    ...SCRIPTS,
    "scripts/broken.js": "function main() {\n  return items.map((x) => );\n}\n",
  });
  const text = await bench.run(["check"]);
  expect(text.code).toBe(1);
  expect(text.stdout).toContain("scripts/broken.js:2:27  error    SYNTAX  broken: ");
  expect(text.stdout).toContain("    2 |   return items.map((x) => );\n      |                           ^\n");
  expect(text.stdout).toContain("3 tools ready, 1 set aside (broken). The others keep working.\n");
  const json = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(json).toMatchObject({ ready: ["echo", "noisy", "fails"], setAside: ["broken"] });
  expect(json.problems).toMatchObject([
    { code: "SYNTAX", severity: "error", file: "scripts/broken.js", line: 2, column: 27, tool: "broken" },
  ]);
});

test("check says which clients refuse a tool, and what to change", async () => {
  using bench = makeBench(cli);
  const dotted = {
    name: "docs.find",
    description: "Finds",
    script: "scripts/echo.js",
    parameters: { properties: { "uids[]": { type: "array" } } },
  };
  bench.write({ "tools.json": { tools: [...TOOLS.tools, dotted] }, ...SCRIPTS });
  const { code, stdout } = await bench.run(["check"]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'CLIENT_REFUSES  docs.find: the name has "."; Claude Desktop, Copilot CLI, OpenAI API, Bedrock fail with it, Cursor leaves it out\n',
  );
  expect(stdout).toContain("     Name it docs_find.\n");
  expect(stdout).toMatch(/\n {2}docs\.find {2}changed {6}refused {9}refused/);
  const json = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(json.clients.tools.at(-1)).toMatchObject({
    tool: "docs.find",
    verdicts: { "claude-desktop": { verdict: "refused" }, windsurf: { verdict: "changed", how: [expect.stringContaining("uids")] } },
  });
});

test("check and list leave no trace in the workspace and make no home folder", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  await bench.run(["check"]);
  await bench.run(["list"]);
  expect(readdirSync(bench.folder).sort()).toEqual(["scripts", "tools.json"]);
  expect(() => statSync(bench.home)).toThrow("ENOENT");
});

test("a secret comes from stdin, is listed without its value, keeps its hosts when replaced, and can be removed", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  const input = "s3cret-value-of-the-test\n";
  const stored = await bench.run(["secrets", "set", "API_TOKEN", "--host", "api.example.com"], { input });
  expect(stored.code).toBe(0);
  expect(stored.stdout).toContain("Stored API_TOKEN for this workspace. It can go to https://api.example.com and nowhere else.\n");
  const listed = await bench.run(["secrets", "list", "--json"]);
  expect(JSON.parse(listed.stdout).secrets).toMatchObject([{ name: "API_TOKEN", scope: "workspace", hosts: ["api.example.com"] }]);
  const replaced = await bench.run(["secrets", "set", "API_TOKEN", "--json"], { input: "another-value-of-the-test" });
  expect(JSON.parse(replaced.stdout)).toMatchObject({ name: "API_TOKEN", hosts: ["api.example.com"], replaced: true });
  const removed = await bench.run(["secrets", "remove", "API_TOKEN"]);
  expect(removed).toMatchObject({ code: 0, stdout: "Removed API_TOKEN for this workspace.\n" });
  const again = await bench.run(["secrets", "remove", "API_TOKEN"]);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/^SECRET_MISSING {2}/);
  for (const run of [stored, listed, replaced]) expect(run.stdout + run.stderr).not.toMatch(/s3cret-value|another-value/);
});

test("a secret's value on the command line is refused with the reason and not repeated", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  for (const args of [
    ["API_TOKEN", "hunter2-hunter2", "--host", "a.example"],
    ["API_TOKEN", "--value", "hunter2-hunter2"],
    ["API_TOKEN", "--value=hunter2-hunter2"],
    ["API_TOKEN", "--host", "a.example", "hunter2-hunter2"],
    ["API_TOKEN", "--host", "a.example", "--host", "b.example", "hunter2-hunter2", "--json"],
    ["hunter2-hunter2", "API_TOKEN", "--host", "a.example"],
  ]) {
    const refused = await bench.run(["secrets", "set", ...args], { input: "x" });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("never stands on the command line");
    expect(refused.stdout + refused.stderr).not.toContain("hunter2");
  }
  const anywhere = await bench.run(["secrets", "set", "API_TOKEN"], { input: "long-enough-value" });
  expect(anywhere.code).toBe(2);
  expect(anywhere.stderr).toContain("toolyard secrets set API_TOKEN --host api.example.com");
});

test("a value in the place of a host, a name or an option is refused and not repeated, and nothing is stored", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  for (const args of [
    ["API_TOKEN", "--host", "hunter2-hunter2"],
    ["API_TOKEN", "--host", "a.example", "--host", "hunter2-hunter2"],
    ["API_TOKEN=hunter2-hunter2", "--host", "a.example"],
    ["API_TOKEN", "--host", "a.example", "-hunter2-hunter2"],
    ["API_TOKEN", "--host", "a.example", "--hunter2-hunter2"],
  ]) {
    const refused = await bench.run(["secrets", "set", ...args, "--json"], { input: "long-enough-value" });
    expect(refused.code, args.join(" ")).toBe(2);
    expect(refused.stdout + refused.stderr).not.toContain("hunter2");
  }
  expect((await bench.run(["secrets", "set", "API_TOKEN", "--hots", "x"])).stderr).toContain("(Did you mean --host?)");
  expect((await bench.run(["secrets", "list", "--json"])).stdout).toBe('{\n  "secrets": [],\n  "verified": true\n}\n');
});

test("--host is given once for each host", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  const args = ["secrets", "set", "API_TOKEN", "--host", "a.example.com", "--host", "b.example.com", "--json"];
  const stored = await bench.run(args, { input: "long-enough-value" });
  expect(JSON.parse(stored.stdout).hosts).toEqual(["a.example.com", "b.example.com"]);
});

test.each([
  [["serve", "--htp", "1"], {}, "--http"],
  [["lst"], {}, "list"],
  [["run"], {}, "tool"],
  [["serve", "--expose", "some"], {}, "direct"],
  [["serve", "--http", "70000"], {}, "[HOST:]PORT"],
  [["serve", "--public-url", "https://x"], {}, "--http"],
  [["serve", "--http", "0.0.0.0:0"], {}, "--public-url https://"],
  [["serve", "--http", "0.0.0.0:0", "--no-auth"], {}, "Leave out --no-auth"],
  [["serve", "--http", "0", "--no-auth", "--public-url", "https://x.example"], {}, "Leave out one of them"],
  [["list", "-w", "nowhere"], {}, "nowhere"],
  [["list"], { TOOLYARD_HOME: "relative" }, "TOOLYARD_HOME"],
  [["list"], { TOOLYARD_LOG: "loud" }, "TOOLYARD_LOG"],
  [["trust", "--list", "--revoke"], {}, "Leave out one"],
  [["trust", "--tool", "lights"], {}, "--revoke"],
  [["secrets", "set", "NEW", "--header", "X-Key"], {}, "Add --host HOST"],
])("%j with %j is wrong usage: exit code 2, a hint, nothing on stdout", async (args, env, hint) => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  const run = await bench.run(args, { env: { TOOLYARD_HOME: bench.home, ...env } });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: "" });
  expect(run.stderr).toMatch(/^INVALID_ARGUMENTS {2}/);
  expect(run.stderr).toContain(hint);
});

test("outside of any workspace a command that needs one exits with 2 and says how to name one", async () => {
  using bench = makeBench(cli);
  const run = await bench.run(["list"]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("-w");
});

test("every command has help with an example", async () => {
  using bench = makeBench(cli);
  const top = await bench.run(["--help"]);
  expect(top.code).toBe(0);
  const names = [...top.stdout.matchAll(/^ {2}([a-z]+) /gm)]
    .map(([, name]) => name ?? "")
    .filter((name) => name !== "toolyard" && name !== "help");
  expect(names).toEqual(["init", "serve", "list", "describe", "run", "check", "doctor", "secrets", "agents", "trust"]);
  const subcommands = {
    secrets: ["set", "import", "list", "allow", "deny", "rename", "remove", "check", "rekey"],
    agents: ["add", "list", "remove"],
  };
  const commands = names.flatMap((name) =>
    name === "secrets" || name === "agents" ? [[name], ...subcommands[name].map((one) => [name, one])] : [[name]],
  );
  const helps = await Promise.all(commands.map(async (words) => ({ words, help: await bench.run([...words, "--help"]) })));
  for (const { words, help } of helps) {
    expect(help.stdout, words.join(" ")).toMatch(/Example:\n {2}toolyard /);
    if (words[0] !== words.at(-1) || !["secrets", "agents"].includes(words[0] ?? ""))
      expect(help.stdout, words.join(" ")).toContain("--json");
  }
});

test("doctor finds nothing wrong with a machine that runs these tests, and exits with 1 over a home folder that others can read", async () => {
  using bench = makeBench(cli);
  bench.write({ "tools.json": TOOLS, ...SCRIPTS });
  const well = await bench.run(["doctor", "--json"]);
  expect(JSON.parse(well.stdout)).toEqual({
    problems: [],
    fine: ["node", "environment", "sandbox", "confinement", "bundler", "stdout", "home", "vault", "workspace", "watch", "claude-desktop"],
    notes: { confinement: expect.stringMatching(/^processes of scripts and of the bundler have /) },
  });
  expect(well.code).toBe(0);
  expect(readdirSync(bench.folder).sort()).toEqual(["scripts", "tools.json"]);
  mkdirSync(bench.home, { mode: 0o755 });
  const open = await bench.run(["doctor", "--json"]);
  expect(open.code).toBe(1);
  expect(JSON.parse(open.stdout).problems).toMatchObject([{ code: "HOME", severity: "error", mend: `chmod 700 '${bench.home}'` }]);
  const shown = (await bench.run(["doctor"])).stdout.split("\n");
  const row = shown.findIndex((line) => line.startsWith("error"));
  expect(shown[row]).toBe(`error    home            ${bench.home} can be read or changed by others on this machine.`);
  expect(shown[row + 1]?.trim()).toBe(`chmod 700 '${bench.home}'`);
});

/** A Node of the system that is too old for toolyard, where there is one; the tests themselves run on a packaged one. */
const oldNode = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"].find((file) => {
  const found = spawnSync(file, ["-p", "process.versions.node"], { encoding: "utf8" });
  return found.status === 0 && Number(found.stdout.split(".")[0]) < 24;
});

test.skipIf(oldNode === undefined)(
  "an older Node gets one line with what is needed and how to get it, and exit code 2 (skipped where no older Node is)",
  () => {
    const run = spawnSync(oldNode ?? "", [cli, "list"], { encoding: "utf8" });
    expect({ status: run.status, stdout: run.stdout }).toEqual({ status: 2, stdout: "" });
    expect(run.stderr).toMatch(/^toolyard needs Node 24 or newer; this is Node \S+\. Get Node 24 at \S+ [^\n]+\n$/);
  },
);
