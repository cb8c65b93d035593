import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import type { Caller } from "../../src/core/tool.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { buildMcpServer } from "../../src/server/mcp-server.ts";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../support/workspace-folder.ts";

const caller: Caller = { agent: "default", origin: "mcp" };

/** A 1.x client of the engine. */
async function connect(engine: Engine): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = { engine, expose: "both", version: "0", log: silentLog } as const;
  const server = await buildMcpServer(serving, { caller, era: "legacy", withInstructions: false });
  // Two SDK generations with the same transport contract; their message types differ only in what is optional.
  await server.connect(far as unknown as Parameters<typeof server.connect>[0]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}

const ECHO = { "scripts/a.js": "async function main() { return g.tool.args; }" };

function ownTools(engine: Engine): ReturnType<Engine["list"]> {
  return engine.list(caller).filter(({ role }) => role === "tools");
}

test("of fifty tools with one bad schema, forty-nine are served and one is explained", async () => {
  const tools = Array.from({ length: 50 }, (_, index) =>
    entry(`tool-${index}`, {
      parameters: index === 20 ? { properties: { a: { $ref: "https://example.com/x.json" } } } : { type: "object" },
    }),
  );
  const { engine } = await openTestRuntime(makeWorkspaceFolder(tools), makeHome());
  const { tools: listed } = await (await connect(engine)).listTools();
  expect(listed.filter(({ name }) => name.startsWith("tool-"))).toHaveLength(49);
  const broken = ownTools(engine).filter(({ status }) => status.kind === "broken");
  expect(broken.map(({ name, status }) => [name, status.kind === "broken" && status.problem.code])).toEqual([
    ["tool-20", "SCHEMA_INVALID"],
  ]);
});

test("two schemas of the same $id, and tools and parameters named as objects inherit, do not meet", async () => {
  const $id = "https://example.com/same";
  const names = ["constructor", "toString", "__proto__", "hasOwnProperty"];
  const inherited = Object.fromEntries(
    ["constructor", "prototype", "toString", "hasOwnProperty"].map((name) => [name, { type: "number" }]),
  );
  const tools = [
    entry("first", { parameters: { $id, properties: { a: { type: "string" }, valueOf: { type: "string" } } } }),
    entry("second", { parameters: { $id, properties: { a: { type: "number" }, toString: { type: "number" } } } }),
    entry("third", { parameters: { properties: inherited, required: ["constructor"], additionalProperties: false } }),
    ...names.map((name) => entry(name)),
  ];
  const runtime = await openTestRuntime(makeWorkspaceFolder(tools, ECHO), makeHome());
  const client = await connect(runtime.engine);
  const { tools: listed } = await client.listTools();
  expect(names.filter((name) => !listed.some((tool) => tool.name === name))).toEqual([]);
  expect(await runtime.run("first", { a: "x", valueOf: "y" })).toMatchObject({ kind: "ok", value: { a: "x", valueOf: "y" } });
  expect(await runtime.run("second", { a: "x" })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await runtime.run("constructor")).toMatchObject({ kind: "ok", value: {} });
  const given = { constructor: 1, prototype: 2, toString: 3, hasOwnProperty: 4 };
  const answer = await client.callTool({ name: "third", arguments: given });
  // As text, since a comparison of objects looks at the key "constructor" itself.
  expect(JSON.stringify([answer.structuredContent, answer.content])).toBe(
    JSON.stringify([{ constructor_2: 1, prototype: 2, toString: 3, hasOwnProperty: 4 }, [{ type: "text", text: JSON.stringify(given) }]]),
  );
  expect(await runtime.run("third", {})).toMatchObject({ code: "INVALID_ARGUMENTS", data: { issues: [{ path: "constructor" }] } });
  expect(await runtime.run("third", { constructor: "1" })).toMatchObject({ kind: "ok", repaired: [{ path: "constructor" }] });
});

test("a script gets its own keys, whichever of both names was used, and a rule at the root is listed and enforced", async () => {
  const parameters = {
    type: "object",
    properties: { "uids[]": { type: "array", items: { type: "integer" } }, all: { type: "boolean" } },
    oneOf: [{ required: ["uids[]"] }, { required: ["all"] }],
  };
  const runtime = await openTestRuntime(makeWorkspaceFolder([entry("pick", { parameters })], ECHO), makeHome());
  const { tools } = await (await connect(runtime.engine)).listTools();
  const rule = 'Give exactly one of: "uids"; "all".';
  expect(tools.find(({ name }) => name === "pick")).toMatchObject({
    description: `Does pick.\n${rule}`,
    inputSchema: { type: "object", properties: { uids: { type: "array" }, all: { type: "boolean" } }, description: rule },
  });
  expect(await runtime.run("pick", { uids: [1] })).toMatchObject({ kind: "ok", value: { "uids[]": [1] } });
  expect(await runtime.run("pick", { "uids[]": [1] })).toMatchObject({ kind: "ok", value: { "uids[]": [1] } });
  expect(await runtime.run("pick", { uids: [1], "uids[]": [2] })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await runtime.run("pick", { uids: [1], all: true })).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

test("results whose keys no client would list are given structured all the same, as the script wrote them", async () => {
  const output = { type: "object", properties: { "@odata.count": { type: "integer" } }, required: ["@odata.count"] };
  const files = { "scripts/a.js": 'async function main() { return { "@odata.count": 3 }; }' };
  const { engine } = await openTestRuntime(makeWorkspaceFolder([entry("count", { output })], files), makeHome());
  const client = await connect(engine);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "count")).not.toHaveProperty("outputSchema");
  expect(await client.callTool({ name: "count" })).toMatchObject({ structuredContent: { "@odata.count": 3 } });
});

test("of a thousand tools an edit of one leaves the schemas of all others as they were published and compiled", {
  timeout: 60_000,
}, async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `tool-${index}`);
  const [first = "", second = ""] = names;
  const tool = (name: string, key = name): Record<string, unknown> =>
    entry(name, { script: `scripts/${name}.js`, parameters: { properties: { [`$${key}`]: {} } } });
  const scripts = Object.fromEntries(names.map((name) => [`scripts/${name}.js`, "async function main() { return 1; }"]));
  const root = makeWorkspaceFolder(
    names.map((name) => tool(name)),
    scripts,
  );
  const { engine } = await openTestRuntime(root, makeHome());
  const published = (): readonly unknown[] => ownTools(engine).map((one) => engine.published(one).parameters);
  const madeAnew = async (files: Readonly<Record<string, unknown>>): Promise<readonly (string | undefined)[]> => {
    const before = new Set(published());
    expect(before.size).toBe(1_000);
    putFiles(root, files);
    await engine.refresh({ kind: "all" });
    return published().flatMap((schema, index) => (before.has(schema) ? [] : [names[index]]));
  };
  expect(await madeAnew({ [`scripts/${first}.js`]: "async function main() { return 2; }" })).toEqual([]);
  const edited = names.map((name) => tool(name, name === second ? "other" : name));
  expect(await madeAnew({ "tools.json": { tools: edited } })).toEqual([second]);
});
