import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";
import type { JsonObject } from "../core/json.ts";
import type { Caller, Tool } from "../core/tool.ts";
import { publishSchema } from "../schema/publish-schema.ts";
import { toMcpResult } from "../server/call-result.ts";
import { metaTools } from "../tools/index.ts";
import { createCodeSource } from "./code-source.ts";
import { createEngine, type Engine } from "./engine.ts";
import { schemaPart } from "./schema-part.ts";

const caller: Caller = { agent: "default", origin: "mcp" };

const parameters = {
  type: "object",
  properties: { id: { type: "integer" }, note: { type: "string" }, where: { anyOf: [{ type: "object" }, { type: "null" }] } },
};

const echo: Tool = {
  definition: { name: "echo", description: "Gives back its arguments", parameters, timeoutMs: 1_000 },
  status: () => ({ kind: "ready" }),
  call: async (_context, args) => ({ kind: "value", value: args }),
};

interface Harness {
  readonly logged: string[];
  call(name: string, args: unknown): ReturnType<Engine["call"]>;
}

function engineWith(tool: Tool): Harness {
  const logged: string[] = [];
  const keep = (event: string, fields = {}): void => void logged.push(JSON.stringify({ event, ...fields }));
  const engine = createEngine({
    sources: [createCodeSource("meta", "meta", metaTools), createCodeSource("code", "tools", [tool])],
    policy: () => ({ agents: [], hadAgents: false }),
    log: { debug: keep, info: keep, warn: keep, error: keep },
    record: () => undefined,
  });
  return { logged, call: (name, args) => engine.call(caller, { name, args, signal: new AbortController().signal }) };
}

test("arguments written as text reach the tool as what they stand for, and the result and the log say which, without their values", async () => {
  const { call, logged } = engineWith(echo);
  const result = await call("echo", { id: "12345", note: "678", where: '{"canary":1}' });
  expect(result).toMatchObject({ kind: "ok", value: { id: 12345, note: "678", where: { canary: 1 } } });
  const repaired = [
    { path: "id", from: "string", to: "integer" },
    { path: "where", from: "string", to: "object" },
  ];
  if (result.kind === "ok") {
    expect(toMcpResult(result, { era: "legacy", hasOutput: false })._meta).toEqual({ "toolyard/repaired": repaired });
  }
  const line = logged.find((entry) => entry.includes("tool.arguments.repaired"));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ tool: "echo", repaired });
  expect(line).not.toMatch(/12345|canary/);
});

test("arguments that are the JSON text of an object are read as that object, unless the tool is not to be repaired", async () => {
  const { call } = engineWith(echo);
  const repaired = [
    { path: "", from: "string", to: "object" },
    { path: "id", from: "string", to: "integer" },
  ];
  expect(await call("echo", '{"id":"7","note":"8"}')).toMatchObject({ kind: "ok", value: { id: 7, note: "8" }, repaired });
  const refusal = await call("echo", '{"id":"x"}');
  expect(refusal).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  if (refusal.kind === "error") expect(refusal.message).toContain("Text was read as what it stands for: the arguments as object.");
  const strict = engineWith({ ...echo, definition: { ...echo.definition, repair: false } });
  for (const [one, text] of [
    [strict, "{}"],
    [engineWith(echo), "[1]"],
    [engineWith(echo), "{"],
    [engineWith(echo), "x"],
  ] as const) {
    expect(await one.call("echo", text), text).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  }
});

test("of many repairs the first fifty are told", async () => {
  const rows: Tool = {
    ...echo,
    definition: { ...echo.definition, parameters: { properties: { rows: { type: "array", items: { type: "integer" } } } } },
  };
  const result = await engineWith(rows).call("echo", { rows: Array.from({ length: 1_000 }, (_, row) => String(row)) });
  expect(result).toMatchObject({ kind: "ok", value: { rows: Array.from({ length: 1_000 }, (_, row) => row) } });
  expect(result.repaired?.length).toBe(50);
});

test("what needed no repair says nothing of it", async () => {
  const result = await engineWith(echo).call("echo", { id: 1 });
  expect(result).not.toHaveProperty("repaired");
});

test("through ExecuteWorkspaceTool both what it read and what the tool read is told", async () => {
  const result = await engineWith(echo).call("ExecuteWorkspaceTool", { name: "echo", arguments: '{"id":"5"}' });
  expect(result).toMatchObject({
    kind: "ok",
    value: { id: 5 },
    repaired: [
      { path: "arguments", to: "object" },
      { path: "id", to: "integer" },
    ],
  });
});

test("a tool with repair off gets its arguments as they are, or not at all", async () => {
  const strict: Tool = { ...echo, definition: { ...echo.definition, repair: false } };
  expect(await engineWith(strict).call("echo", { id: "5" })).toMatchObject({
    kind: "error",
    code: "INVALID_ARGUMENTS",
    data: { issues: [{ path: "id", kind: "value", expected: "an integer", found: '"5"' }] },
  });
  expect(await engineWith(strict).call("echo", { id: 5 })).toMatchObject({ kind: "ok", value: { id: 5 } });
});

test("a failed call tells each field, what was read as what, and the schema", async () => {
  const { call, logged } = engineWith(echo);
  const result = await call("echo", { id: "5", note: 7 });
  const repaired = [{ path: "id", from: "string", to: "integer" }];
  expect(result).toMatchObject({
    kind: "error",
    code: "INVALID_ARGUMENTS",
    message: "Arguments of echo do not fit:\n- note: expected a string; found 7\nText was read as what it stands for: id as integer.",
    data: { issues: [{ path: "note" }], parameters },
    repaired,
  });
  expect(toMcpResult(result, { era: "modern", hasOutput: false })).toMatchObject({
    isError: true,
    _meta: { "toolyard/repaired": repaired },
  });
  expect(JSON.parse(logged.find((line) => line.includes("tool.arguments.repaired")) ?? "{}")).toMatchObject({ tool: "echo", repaired });
});

test("arguments that do not fit through ExecuteWorkspaceTool are told with what was read of both", async () => {
  const result = await engineWith(echo).call("ExecuteWorkspaceTool", { name: "echo", arguments: '{"id":"5","note":7}' });
  expect(result).toMatchObject({
    kind: "error",
    code: "INVALID_ARGUMENTS",
    repaired: [
      { path: "arguments", to: "object" },
      { path: "id", to: "integer" },
    ],
  });
});

test("a tool that fails after a repair says what was repaired too", async () => {
  const failing: Tool = {
    ...echo,
    call: async () => {
      throw new TypeError("odd");
    },
  };
  const result = await engineWith(failing).call("echo", { id: "5" });
  expect(result).toMatchObject({ kind: "error", code: "UNAVAILABLE", repaired: [{ path: "id" }] });
  if (result.kind === "error") {
    expect(toMcpResult(result, { era: "legacy", hasOutput: true })._meta).toMatchObject({
      "toolyard/error": { code: "UNAVAILABLE" },
      "toolyard/repaired": [{ path: "id", from: "string", to: "integer" }],
    });
  }
});

test("published keys mean those of the schema at every depth, also in what was written as text, and both at once are refused", async () => {
  const renamed: JsonObject = {
    type: "object",
    properties: {
      "uids[]": { type: "array", items: { type: "integer" } },
      filter: { type: "object", properties: { $top: { type: "integer" } } },
    },
    required: ["uids[]"],
  };
  const names = new Map([...publishSchema(renamed).rename.names]);
  const uids = names.get("uids[]") ?? "";
  const top = names.get("$top") ?? "";
  const { call } = engineWith({ ...echo, definition: { ...echo.definition, parameters: renamed } });
  const value = { "uids[]": [1, 2], filter: { $top: 5 } };
  for (const args of [value, { [uids]: [1, 2], filter: { [top]: 5 } }, { [uids]: '["1",2]', filter: `{"${top}":"5"}` }]) {
    expect(await call("echo", args)).toMatchObject({ kind: "ok", value });
  }
  for (const filter of [{ [top]: 1, $top: 2 }, `{"${top}":1,"$top":2}`]) {
    expect(await call("echo", { [uids]: [1], filter })).toMatchObject({
      code: "INVALID_ARGUMENTS",
      data: { issues: [{ path: `filter.${top}`, expected: `"${top}" or "$top", which mean the same`, found: "both" }] },
    });
  }
});

test("repair is switched off for a tool in tools.json, and for all in toolyard.json", async () => {
  const numbers = { type: "object", properties: { n: { type: "integer" } } };
  const tools = [entry("usual", { parameters: numbers }), entry("strict", { parameters: numbers, repair: false })];
  const root = makeWorkspaceFolder(tools, { "scripts/a.js": "async function main() { return g.tool.args; }" });
  const runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("usual", { n: "5" })).toMatchObject({ kind: "ok", value: { n: 5 } });
  expect(await runtime.run("strict", { n: "5" })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  putFiles(root, { "toolyard.json": { repair: false } });
  expect(await runtime.run("usual", { n: "5" })).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

/** A tool with so many parameters of this size. */
function wide(count: number, description: string): Tool {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, { type: "string", description }]));
  return { ...echo, definition: { ...echo.definition, parameters: { type: "object", properties, required: ["key0", "key1"] } } };
}

test("of a long schema a failed call gives what concerns the fields that fail, and says how to get the rest", async () => {
  const { call } = engineWith(wide(400, "Something to say about it."));
  const result = await call("echo", { key0: 5, key1: "x", key7: 5 });
  const property = { type: "string", description: "Something to say about it." };
  expect(result).toMatchObject({
    kind: "error",
    code: "INVALID_ARGUMENTS",
    message:
      'Arguments of echo do not fit:\n- key0: expected a string; found 5\n- key7: expected a string; found 5\nGetWorkspaceTools with {"name": "echo"} gives all parameters.',
  });
  expect(result.kind === "error" && result.data.parameters).toEqual({
    type: "object",
    properties: { key0: property, key7: property },
    required: ["key0"],
  });
});

test("an error stays small whatever the schema: fields, values and issues that are long are left out", async () => {
  const { call } = engineWith(wide(400, "x".repeat(5_000)));
  const result = await call("echo", Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`key${index}`, index])));
  expect(result.kind === "error" && result.data).not.toHaveProperty("parameters");
  expect(JSON.stringify(result).length).toBeLessThan(12_000);
  const long = { enum: Array.from({ length: 20 }, (_, index) => `${index}`.repeat(500)) };
  const choosing: Tool = { ...echo, definition: { ...echo.definition, parameters: { type: "object", properties: { a: long, b: long } } } };
  const chosen = await engineWith(choosing).call("echo", { a: 1, b: 2 });
  expect(chosen).toMatchObject({ data: { issues: [{ path: "a" }, { path: "b" }] } });
  expect(JSON.stringify(chosen).length).toBeLessThan(12_000);
});

test("a part of a schema keeps what its references lead to, and is left out where that is too long", () => {
  const properties = {
    ...Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, { type: "string" }])),
    "a b": { $ref: "#/$defs/m" },
  };
  const $defs = { m: { type: "object" } };
  expect(schemaPart({ type: "object", properties, $defs }, ['["a b"].x', "none"])).toEqual({
    kind: "part",
    schema: { type: "object", properties: { "a b": { $ref: "#/$defs/m" } }, $defs },
  });
  expect(schemaPart({ type: "object", properties, $defs: { m: { description: "x".repeat(4_000) } } }, ["k1"])).toEqual({ kind: "none" });
  expect(schemaPart({ type: "object", properties }, [""])).toEqual({ kind: "none" });
});
