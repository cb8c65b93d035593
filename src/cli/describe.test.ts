import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { entry, makeFolder, PLAIN_SCRIPT } from "../../test/support/workspace-folder.ts";

function bench(...tools: readonly unknown[]): ReturnType<typeof cliIn> {
  const files = { "scripts/a.js": PLAIN_SCRIPT, "scripts/echo.js": "function main() { return g.tool.args; }\n" };
  return cliIn(makeFolder({ "tools.json": { tools }, ...files }), makeHome());
}

/** Lines from one that begins so up to the next empty one. */
function block(stdout: string, start: string): readonly string[] {
  const lines = stdout.split("\n");
  const first = lines.findIndex((line) => line.startsWith(start));
  return first < 0 ? [] : lines.slice(first, lines.indexOf("", first));
}

test("a tool whose schema is a choice of objects shows what it takes, and the rule between them", async () => {
  const byId = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  const byName = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const { stdout } = await bench(entry("find", { parameters: { oneOf: [byId, byName] } }))(["describe", "find"]);
  expect(block(stdout, "Takes")).toEqual(["Takes:", "  id              integer", "  name            string"]);
  expect(stdout).toContain('Does find.\nThis fits exactly one of: (1) with "id"; (2) with "name".\n');
});

test("parameters behind references show their types, one that nothing fits is left out, and run reads them by those types", async () => {
  const parameters = {
    type: "object",
    $defs: { code: { type: "string", description: "A code." }, spot: { type: "object", properties: { x: { type: "number" } } } },
    properties: {
      code: { $ref: "#/$defs/code" },
      spots: { type: "array", items: { $ref: "#/$defs/spot" } },
      never: false,
      any: true,
      count: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
      kind: { enum: ["a", "b"] },
      only: { const: "x" },
    },
    required: ["code"],
  };
  const cli = bench(entry("refs", { script: "scripts/echo.js", parameters }));
  const { stdout } = await cli(["describe", "refs"]);
  expect(block(stdout, "Takes")).toEqual([
    "Takes:",
    "  code   required  string; A code.",
    "  spots            array of object",
    "  any              anything",
    "  count            integer or null; default null",
    '  kind             "a", "b"',
    '  only             "x"',
  ]);
  expect(stdout).toContain("Try it: toolyard run refs code=…\n");
  expect((await cli(["run", "refs", "code=123", "--json"])).stdout).toContain('"code": "123"');
});

test("a parameter that is published under another name is shown by it, with its own, and run reads its value by its type", async () => {
  const parameters = { type: "object", properties: { "uids[]": { type: "string" } } };
  const cli = bench(entry("uids", { script: "scripts/echo.js", parameters }));
  const [, row = ""] = block((await cli(["describe", "uids"])).stdout, "Takes");
  expect(row).toMatch(/^ {2}uids +string; .*"uids\[\]"/);
  expect(JSON.parse((await cli(["run", "uids", "uids[]=7", "--json"])).stdout).value).toEqual({ "uids[]": "7" });
});

test("as JSON a tool has its schemas as written and as clients get them, each under its own name", async () => {
  const parameters = {
    $defs: { id: { type: "integer" } },
    properties: { "uids[]": { $ref: "#/$defs/id" } },
    anyOf: [{ required: ["uids[]"] }],
  };
  const output = { type: "object", properties: { "@count": { type: "integer" } } };
  const cli = bench(entry("uids", { parameters, output }), entry("bad", { script: "scripts/none.js" }));
  const { tools } = JSON.parse((await cli(["describe", "uids", "--json"])).stdout);
  expect(tools).toMatchObject([{ name: "uids", description: "Does uids.", parameters, output }]);
  expect(tools[0].published).toEqual({
    description: "Does uids.",
    parameters: {
      type: "object",
      properties: { uids: { type: "integer", description: 'This is "uids[]".' } },
      required: ["uids"],
    },
  });
  expect(JSON.parse((await cli(["describe", "bad", "--json"])).stdout).tools[0]).not.toHaveProperty("published");
});

test("a tool that takes no parameter at all says so", async () => {
  const cli = bench(entry("none", { parameters: { type: "object", additionalProperties: false } }), entry("free"));
  expect(block((await cli(["describe", "none"])).stdout, "Takes")).toEqual(["Takes: nothing"]);
  expect(block((await cli(["describe", "free"])).stdout, "Takes")).toEqual(["Takes: nothing in particular"]);
});

test("a tool that is set aside shows what is wrong and where, and no figures", async () => {
  const { code, stdout } = await bench(entry("bad", { script: "scripts/none.js" }))(["describe", "bad"]);
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "  bad  set aside   Does bad",
    "",
    "Does bad.",
    "",
    "tools.json:6:17  error    FILE_MISSING  bad: scripts/none.js is not there.",
    '    6 |       "script": "scripts/none.js"',
    "      |                 ^",
    "",
    "It is back once that is mended; no restart is needed.",
    "",
  ]);
});
