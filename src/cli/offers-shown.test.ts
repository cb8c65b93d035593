import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT, putFiles } from "../../test/support/workspace-folder.ts";

const TOOLS = `{
  "tools": [{ "name": "one", "description": "Does one.", "script": "scripts/a.js" }],
  "prompts": [
    { "name": "review", "description": "Review a change. At length.", "file": "p.md",
      "arguments": [{ "name": "path", "required": true }, { "name": "style" }] },
    { "name": "gone", "description": "Broken", "file": "gone.md" }
  ],
  "resources": [
    { "uri": "docs://notes", "name": "notes", "file": "n.md" },
    { "uri": "docs://{day}", "name": "day", "description": "One day", "file": "n.md" },
    { "uri": "docs://none", "name": "none", "file": "none.md" }
  ]
}`;

const FILES = { "tools.json": TOOLS, "scripts/a.js": PLAIN_SCRIPT, "p.md": "Review {{path}} as {{style}}.", "n.md": "Notes" };

function bench(files: Readonly<Record<string, unknown>> = FILES): ReturnType<typeof cliIn> {
  const folder = makeFolder();
  putFiles(folder, files);
  return cliIn(folder, makeHome());
}

test("list has a section for prompts and one for resources, those set aside with their place", async () => {
  const cli = bench();
  const { code, stdout } = await cli(["list"]);
  expect(code).toBe(0);
  expect(stdout.split("\n").slice(0, 1)).toEqual([expect.stringMatching(/ · 1 tool · 2 prompts · 3 resources$/)]);
  expect(stdout.split("\n").slice(2)).toEqual([
    "  one  ready   Does one",
    "",
    "Prompts:",
    "  review  ready       Review a change  path, [style]",
    "  gone    set aside",
    "                      tools.json:6:56 gone.md is not there.",
    "",
    "Resources:",
    "  docs://notes  ready       notes    text/markdown",
    "  docs://{day}  ready       One day  text/markdown",
    "  docs://none   set aside",
    "                            tools.json:11:53 none.md is not there.",
    "",
  ]);
});

test("list --json has prompts and resources with their status, also where there are none", async () => {
  const data = JSON.parse((await bench()(["list", "--json"])).stdout);
  expect(data.tools).toMatchObject([{ name: "one", status: "ready" }]);
  expect(data.prompts).toEqual([
    {
      name: "review",
      description: "Review a change. At length.",
      arguments: [
        { name: "path", required: true },
        { name: "style", required: false },
      ],
      status: "ready",
    },
    { name: "gone", status: "broken", problem: expect.objectContaining({ code: "FILE_MISSING", line: 6, column: 56 }) },
  ]);
  expect(data.resources).toEqual([
    { kind: "file", uri: "docs://notes", name: "notes", mimeType: "text/markdown", size: 5, status: "ready" },
    { kind: "template", uri: "docs://{day}", name: "day", description: "One day", mimeType: "text/markdown", status: "ready" },
    { uri: "docs://none", status: "broken", problem: expect.objectContaining({ code: "FILE_MISSING", line: 11, column: 53 }) },
  ]);
  const plain = bench({ "tools.json": { tools: [entry("one")] }, "scripts/a.js": PLAIN_SCRIPT });
  expect(JSON.parse((await plain(["list", "--json"])).stdout)).toMatchObject({ prompts: [], resources: [] });
});

test("check counts prompts and resources in its last line and names those that are set aside", async () => {
  const cli = bench();
  const { code, stdout } = await cli(["check"]);
  expect(code).toBe(1);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(
    "1 tool ready. 1 prompt and 2 resources ready, 2 set aside (prompt gone, resource docs://none). The others keep working.",
  );
  expect(stdout).toContain('  FILE_MISSING  prompt "gone": gone.md is not there.\n');
  expect(JSON.parse((await cli(["check", "--json"])).stdout)).toMatchObject({
    ready: ["one"],
    setAside: [],
    prompts: { ready: ["review"], setAside: ["gone"] },
    resources: { ready: ["docs://notes", "docs://{day}"], setAside: ["docs://none"] },
  });
});

test("a workspace of prompts alone is not taken for an empty one", async () => {
  const cli = bench({ "tools.json": { tools: [], prompts: [{ name: "hi", description: "Says hi", messages: [{ text: "Hi" }] }] } });
  expect((await cli(["list"])).stdout).toMatch(/ · 0 tools · 1 prompt\n\nPrompts:\n {2}hi {2}ready {3}Says hi\n$/);
  expect((await cli(["check"])).stdout).toBe("0 tools ready. 1 prompt ready. Nothing to mend.\n");
});

test("an error of an entry without a name stands below the list", async () => {
  const cli = bench({ "tools.json": { tools: [], prompts: [{ description: "No name", messages: [{ text: "Hi" }] }] } });
  expect((await cli(["list"])).stdout).toMatch(/tools\.json:\d+:\d+ {2}error {4}MISSING_KEY {2}prompt 0: /);
});

test("what a client refuses, and a secret that is not stored, are told with line and column", async () => {
  const cli = bench({
    "tools.json": `{
  "tools": [
    {
      "name": "docs.find", "description": "Finds", "script": "scripts/a.js", "allowedHosts": ["a.example"],
      "headers": {
        "X-Plain": "v",
        "X-Key": "{{MYKEY}}"
      }
    }
  ]
}`,
    "scripts/a.js": PLAIN_SCRIPT,
    "toolyard.json": { prefix: "my-" },
  });
  const { problems } = JSON.parse((await cli(["check", "--json"])).stdout);
  expect(problems).toEqual([
    expect.objectContaining({ code: "SECRET_MISSING", tool: "my-docs.find", file: "tools.json", line: 7, column: 9 }),
    expect.objectContaining({ code: "CLIENT_REFUSES", tool: "my-docs.find", file: "tools.json", line: 3, column: 5 }),
  ]);
});
