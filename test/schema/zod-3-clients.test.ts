// A key named "constructor" at the top of parameters or of a result: the 1.x SDK on zod 3.25 refuses the whole list or result.
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Tool } from "../../src/core/tool.ts";
import { publishOutput, publishSchema } from "../../src/schema/publish-schema.ts";
import { formOf } from "../../src/server/elicitation.ts";
import { buildMcpServer } from "../../src/server/mcp-server.ts";
import { codeTool, testEngine } from "../support/mcp-engine.ts";
import { loadSdkOnZod3 } from "../support/sdk-on-zod-3.ts";
import { ownGroups } from "./fixtures.ts";

const { Client, InMemoryTransport, types } = await loadSdkOnZod3();

const TEAM = { constructor: "Ferrari", points: 3 };
const schema: JsonObject = {
  type: "object",
  properties: { constructor: { type: "string" }, points: { type: "integer" } },
  required: ["constructor"],
  additionalProperties: false,
};
const open: JsonObject = { type: "object", properties: { points: { type: "integer" } } };
const below: JsonObject = { type: "object", properties: { team: schema } };

/** Gives back what it gets. */
function echo(name: string, schemas: { readonly parameters?: JsonObject; readonly output?: JsonObject }): Tool {
  return codeTool(name, async (_context, args) => ({ kind: "value", value: args }), schemas);
}

const tools: readonly Tool[] = [
  echo("declared", { parameters: schema, output: schema }),
  echo("without-output", { parameters: schema }),
  echo("undeclared", { output: open }),
  echo("below", { parameters: below, output: below }),
  echo("clash", { output: { ...schema, additionalProperties: true } }),
];

test("a client of the 1.x SDK on zod 3.25 refuses such a key at the top as users write it, and takes it further down", () => {
  const isListed = (inputSchema: JsonObject, outputSchema: JsonObject): boolean =>
    types.ListToolsResultSchema.safeParse({ tools: [{ name: "t", inputSchema, outputSchema }] }).success;
  expect([isListed(schema, open), isListed(open, schema), isListed(open, open), isListed(below, below)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  const isResult = (structuredContent: JsonObject): boolean =>
    types.CallToolResultSchema.safeParse({ content: [], structuredContent }).success;
  expect([isResult(TEAM), isResult({ team: TEAM }), isResult({ points: 3 })]).toEqual([false, true, true]);
});

test("a form with a field of that name, which such a client refuses, is an error that names the field, and is not sent", () => {
  const form = (key: string): JsonObject => ({ type: "object", properties: { [key]: { type: "string" } } });
  const isForm = (requestedSchema: JsonObject): boolean =>
    types.ElicitRequestSchema.safeParse({ method: "elicitation/create", params: { message: "Which?", requestedSchema } }).success;
  expect([isForm(form("constructor")), isForm(form("team"))]).toEqual([false, true]);
  const ask = (key: string): unknown => formOf({ key: "team", message: "Which?", schema: form(key) });
  expect(() => ask("constructor")).toThrow('The form has the field "constructor"');
  expect(ask("team")).toMatchObject({ requestedSchema: form("team") });
});

test("such a client lists and calls every tool, gets the key under its other name in structured content and under its own in the text", async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = { engine: testEngine(tools), expose: "both", version: "0", log: silentLog } as const;
  const server = await buildMcpServer(serving, { caller: { agent: "default", origin: "mcp" }, era: "legacy", withInstructions: false });
  // Two SDK generations with the same transport contract; their message types differ only in what is optional.
  await server.connect(far as unknown as Parameters<typeof server.connect>[0]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  onTestFinished(() => client.close());
  const listed = (await client.listTools()).tools;
  const named = { type: "string", description: 'This is "constructor".' };
  const published = { ...schema, properties: { constructor_2: named, points: { type: "integer" } }, required: ["constructor_2"] };
  expect(listed.find(({ name }) => name === "declared")).toMatchObject({ inputSchema: published, outputSchema: published });
  const call = async (name: string, args: JsonObject): Promise<unknown> => {
    const { structuredContent, content, _meta: meta } = await client.callTool({ name, arguments: args });
    // As text, since a comparison of objects looks at the key "constructor" itself.
    return JSON.stringify([structuredContent, content, meta?.["toolyard/renamed"] ?? null]);
  };
  const renamed = [{ from: "constructor", to: "constructor_2" }];
  const expected = (value: JsonObject, structured: JsonObject, names: unknown): string =>
    JSON.stringify([structured, [{ type: "text", text: JSON.stringify(value) }], names]);
  const structured = { constructor_2: "Ferrari", points: 3 };
  for (const name of ["declared", "without-output", "undeclared"]) {
    expect(await call(name, TEAM)).toBe(expected(TEAM, structured, renamed));
  }
  expect(await call("declared", structured)).toBe(expected(TEAM, structured, renamed));
  expect(await call("below", { team: TEAM })).toBe(expected({ team: TEAM }, { team: TEAM }, null));
  const both = { constructor_2: "x", constructor: "Ferrari" };
  expect(await call("clash", both)).toBe(
    expected(both, { constructor_3: "x", constructor_2: "Ferrari" }, [...renamed, { from: "constructor_2", to: "constructor_3" }]),
  );
});

test("such a client takes every published schema of ours, but not all of them as users wrote them", () => {
  const cases = ownGroups().flatMap(({ group, cases: held }) => held.map(({ schema: one }) => ({ group, schema: one })));
  const isTaken = (lists: JsonObject): boolean => types.ListToolsResultSchema.safeParse({ tools: [{ name: "t", ...lists }] }).success;
  const raw = cases.filter(({ group }) => group === "keys").filter(({ schema: one }) => !isTaken({ inputSchema: one }));
  expect(raw.length).toBeGreaterThan(0);
  const refused = cases.filter(({ group, schema: one }) => {
    if (group !== "outputs") return !isTaken({ inputSchema: publishSchema(one).published });
    const { published } = publishOutput(one);
    // Another root than an object is wrapped for clients of this line.
    return published?.type === "object" && !isTaken({ inputSchema: { type: "object" }, outputSchema: published });
  });
  expect(refused).toEqual([]);
});
