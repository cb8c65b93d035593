// What publishing is for: the code of real clients reads every schema. MCP SDK 1.x and 2.x (list and output schemas),
// AI SDK 6 for Gemini (its converter to the OpenAPI subset), zod (which agent frameworks turn schemas into).
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/core/json.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Tool } from "../../src/core/tool.ts";
import { publishSchema } from "../../src/schema/publish-schema.ts";
import { checkSchema, createMetaSchemas } from "../../src/schema/schema-check.ts";
import { buildMcpServer } from "../../src/server/mcp-server.ts";
import { codeTool, testEngine } from "../support/mcp-engine.ts";
import { ownGroups, referenceGroups, type SchemaCase } from "./fixtures.ts";

const metaSchemas = createMetaSchemas();

function isUsable(schema: JsonObject, root: "object" | "any" = "object"): boolean {
  return checkSchema(schema, { metaSchemas, root }).every(({ severity }) => severity === "warning");
}

const groups = [...ownGroups(), ...referenceGroups()];
const usable = groups.filter(({ group }) => group !== "outputs").flatMap(({ cases }) => cases.filter(({ schema }) => isUsable(schema)));
const outputs = groups.find(({ group }) => group === "outputs")?.cases ?? [];

/** Names of the cases that a client refuses. */
async function refused(cases: readonly SchemaCase[], read: (schema: JsonObject) => unknown): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, schema } of cases) {
    try {
      await read(schema);
    } catch {
      names.push(name); // whatever it says: a client that throws loses the tool, some lose the list
    }
  }
  return names;
}

function published(cases: readonly SchemaCase[]): readonly SchemaCase[] {
  return cases.map(({ name, schema }) => ({ name, schema: publishSchema(schema).published }));
}

test("zod reads every published schema, but not all of them as users wrote them", async () => {
  const read = (schema: JsonObject): unknown => z.fromJSONSchema(schema);
  expect((await refused(usable, read)).length).toBeGreaterThan(10);
  expect(await refused(published(usable), read)).toEqual([]);
});

test("the AI SDK turns every published schema into one for Gemini, but not all of them as users wrote them", async () => {
  const answer = { candidates: [{ content: { parts: [{ text: "x" }], role: "model" }, finishReason: "STOP" }] };
  // Answers in the place of the service; nothing leaves this process.
  const model = createGoogleGenerativeAI({ apiKey: "none", fetch: async () => Response.json(answer) })("gemini-2.5-flash");
  const read = async (inputSchema: JsonObject): Promise<unknown> =>
    await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
      // The SDK's type of a schema is narrower than what it takes at run time.
      tools: [{ type: "function", name: "t", description: "d", inputSchema: JSON.parse(JSON.stringify(inputSchema)) }],
    });
  expect((await refused(usable, read)).length).toBeGreaterThan(5);
  expect(await refused(published(usable), read)).toEqual([]);
});

/** One tool for each schema, all in one list: a client that refuses one loses all. */
function manyTools(): readonly Tool[] {
  const inputs = usable.map(({ schema }, index) =>
    codeTool(`input-${index}`, async () => ({ kind: "value", value: null }), { parameters: schema }),
  );
  const results = outputs.map(({ schema }, index) =>
    codeTool(`output-${index}`, async () => ({ kind: "value", value: null }), { output: schema }),
  );
  return [...inputs, ...results];
}

type AnyClient = Pick<ClientV1, "connect" | "close" | "listTools"> | Pick<ClientV2, "connect" | "close" | "listTools">;

async function listed(client: AnyClient): Promise<number> {
  const engine = testEngine(manyTools());
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = { engine, expose: "both", version: "0", log: silentLog } as const;
  const server = await buildMcpServer(serving, { caller: { agent: "default", origin: "mcp" }, era: "legacy", withInstructions: false });
  // Two SDK generations with the same transport contract; their message types differ only in what is optional.
  await server.connect(far as unknown as Parameters<typeof server.connect>[0]);
  await client.connect(near as unknown as Parameters<ClientV1["connect"]>[0] & Parameters<ClientV2["connect"]>[0]);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  return tools.filter(({ name }) => /^(?:input|output)-/.test(name)).length;
}

test("a client of the 1.x SDK takes the list with all of them", async () => {
  expect(await listed(new ClientV1({ name: "test", version: "1" }))).toBe(usable.length + outputs.length);
});

test("a client of the 2.x SDK takes the list with all of them", async () => {
  expect(await listed(new ClientV2({ name: "test", version: "1" }))).toBe(usable.length + outputs.length);
});
