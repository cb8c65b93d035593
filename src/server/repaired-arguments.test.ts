import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { expect, onTestFinished, test } from "vitest";
import { pick, testEngine } from "../../test/support/mcp-engine.ts";
import { callModern, messagesOf, startTestHttp } from "../../test/support/mcp-http.ts";
import { silentLog } from "../core/log.ts";
import type { Tool } from "../core/tool.ts";
import { buildMcpServer } from "./mcp-server.ts";

const repaired = [{ path: "where", from: "string", to: "object" }];

/** A 1.x client connected to a server of the 2025 generation, in this process. */
async function legacyClient(tool: Tool): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = { engine: testEngine([tool]), expose: "both" as const, version: "0", log: silentLog };
  const caller = { agent: "default", origin: "mcp" } as const;
  const server = await buildMcpServer(serving, { caller, era: "legacy", withInstructions: false });
  // Two SDK generations with the same transport contract; their message types differ only in what is optional.
  await server.connect(far as unknown as Parameters<typeof server.connect>[0]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  return client;
}

test("a client of the 2025 generation gets what was read otherwise than written, with results and with failures", async () => {
  const client = await legacyClient(pick);
  await client.listTools();
  const ok = await client.callTool({ name: "pick", arguments: { where: '{"column":"name"}' } });
  expect(ok).toMatchObject({ structuredContent: { result: [1, 2, 3] }, _meta: { "toolyard/repaired": repaired } });
  const odd = await client.callTool({ name: "pick", arguments: { where: '{"column":"size"}' } });
  expect(odd).toMatchObject({ isError: true, _meta: { "toolyard/error": { code: "INVALID_ARGUMENTS" }, "toolyard/repaired": repaired } });
  const plain = await client.callTool({ name: "pick", arguments: { where: { column: "name" } } });
  expect(plain._meta).toBeUndefined();
});

test("a tool that a client calls with an underscore for a dot gives it the form that it was listed with", async () => {
  const dotted = { ...pick, definition: { ...pick.definition, name: "pick.it" } };
  const client = await legacyClient(dotted);
  await client.listTools();
  expect(await client.callTool({ name: "pick_it", arguments: { where: { column: "name" } } })).toMatchObject({
    structuredContent: { result: [1, 2, 3] },
  });
});

test("a client of 2026-07-28 gets it over HTTP", async () => {
  const http = await startTestHttp(testEngine([pick]));
  onTestFinished(() => http.close(0));
  const answer = await callModern(http.url, "pick", { where: '{"column":"name"}' });
  expect((await messagesOf(answer)).at(-1)).toMatchObject({ result: { _meta: { "toolyard/repaired": repaired } } });
});
