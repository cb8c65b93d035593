import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  CallToolResultSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { changingSource, codeTool, echo, pick, steps, testEngine } from "../../test/support/mcp-engine.ts";
import { callModern, messagesOf, startTestHttp } from "../../test/support/mcp-http.ts";
import { silentLog } from "../core/log.ts";
import type { Problem } from "../core/problem.ts";
import type { Engine } from "../engine/engine.ts";
import { ERROR_META_KEY, toMcpResult, WORKSPACE_META_KEY } from "./call-result.ts";
import { announceChanges } from "./changes.ts";
import type { Expose } from "./expose.ts";
import { buildMcpServer } from "./mcp-server.ts";

/** A 1.x client connected to a server of the 2025 generation, in this process. */
async function connected(engine: Engine, expose: Expose = "both", agent = "default"): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = { engine, expose, version: "0", log: silentLog };
  const server = await buildMcpServer(serving, { caller: { agent, origin: "mcp" }, era: "legacy", withInstructions: true });
  announceChanges(server, serving, { caller: { agent, origin: "mcp" }, era: "legacy" });
  // Two SDK generations with the same transport contract; their message types differ only in what is optional.
  await server.connect(far as unknown as Parameters<typeof server.connect>[0]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  return client;
}

test("a tool with an output schema gives a client of the 1.x SDK its failure as text, not as a schema complaint", async () => {
  const client = await connected(testEngine([pick]));
  const { tools } = await client.listTools();
  expect(tools.find((tool) => tool.name === "pick")?.outputSchema).toMatchObject({ type: "object", required: ["result"] });
  const ok = await client.callTool({ name: "pick", arguments: { where: { column: "name" } } });
  expect(ok).toMatchObject({ structuredContent: { result: [1, 2, 3] } });
  const failed = await client.callTool({ name: "pick", arguments: { where: null } });
  expect(failed).toMatchObject({
    isError: true,
    content: [{ text: "pick found nothing" }],
    _meta: { [ERROR_META_KEY]: { code: "SCRIPT_ERROR" } },
  });
  expect(failed.structuredContent).toBeUndefined();
});

test("in the form that stands in structuredContent, the same client would refuse the failure", async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const failure = toMcpResult({ kind: "error", code: "SCRIPT_ERROR", message: "pick found nothing" }, { era: "legacy", hasOutput: false });
  const outputSchema = { type: "object", properties: { result: {} }, required: ["result"] };
  far.onmessage = (message) => {
    if (!("method" in message) || !("id" in message)) return;
    const initialized = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "bare", version: "1" } };
    const listed = { tools: [{ name: "pick", inputSchema: { type: "object" }, outputSchema }] };
    const result = message.method === "initialize" ? initialized : message.method === "tools/list" ? listed : failure;
    far.send({ jsonrpc: "2.0", id: message.id, result: { ...result } }).catch(() => near.close());
  };
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  await client.listTools();
  await expect(client.callTool({ name: "pick", arguments: {} })).rejects.toThrow("output schema");
});

test("2026-07-28 always has the failure in structuredContent, and results of any root as they are", async () => {
  await using server = await startTestHttp(testEngine([pick]));
  const failed = await messagesOf(await callModern(server.url, "pick", { where: null }));
  expect(failed).toMatchObject([
    { result: { isError: true, structuredContent: { error: { code: "SCRIPT_ERROR", callId: expect.any(String) } } } },
  ]);
  const ok = await messagesOf(await callModern(server.url, "pick", { where: { column: "name" } }));
  expect(ok).toMatchObject([{ result: { structuredContent: [1, 2, 3] } }]);
});

test("arguments that do not fit are a result that says where, with the schema", async () => {
  const client = await connected(testEngine([pick]));
  const result = await client.callTool({ name: "pick", arguments: { where: { column: "Amount" } } });
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "INVALID_ARGUMENTS", issues: [{ path: "where.column" }], parameters: { required: ["where"] } } },
  });
});

test("facts of a failure cannot stand in for its code, message or id", () => {
  const failure = {
    kind: "error" as const,
    callId: "c1",
    code: "TIMEOUT" as const,
    message: "real",
    data: { code: "FAKE", message: "fake", callId: "fake", more: 1 },
  };
  expect(toMcpResult(failure, { era: "modern", hasOutput: false }).structuredContent).toEqual({
    error: { code: "TIMEOUT", message: "real", callId: "c1", more: 1 },
  });
});

test("progress goes to a client that asked for it, rising, and log lines of scripts as messages", async () => {
  const client = await connected(testEngine([steps]));
  const logged: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    logged.push(params);
  });
  await client.setLoggingLevel("info");
  const values: number[] = [];
  const onprogress = ({ progress }: { progress: number }): void => {
    values.push(progress);
  };
  expect(await client.callTool({ name: "steps", arguments: {} }, CallToolResultSchema, { onprogress })).toMatchObject({
    content: [{ text: "done" }],
  });
  expect(values).toEqual([1, 2, 3]);
  expect(logged).toEqual([{ level: "info", logger: "script", data: "stepping" }]);
});

test("what the policy hides is not in the list, is called like an unknown tool, and the instructions say why and what to do", async () => {
  const client = await connected(testEngine([echo], ["ann"]), "both", "stranger");
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
    "GetWorkspaceTools",
    "ExecuteWorkspaceTool",
    "ReloadWorkspaceTools",
    "ReadWorkspaceResult",
  ]);
  expect(client.getInstructions()).toMatch(/^The agent "stranger" may use no tool of this workspace: .* A person adds it there/);
  const hidden = await client.callTool({ name: "echo", arguments: { text: "x" } });
  const unknown = await client.callTool({ name: "ecHX", arguments: { text: "x" } });
  const withoutName = (result: object): string =>
    JSON.stringify(result)
      .replaceAll(/echo|ecHX/g, "NAME")
      .replaceAll(/"callId":"[^"]+"/g, "");
  expect(withoutName(hidden)).toBe(withoutName(unknown));
});

test("exposed are the tools of the mode, and no others can be called", async () => {
  const meta = await connected(testEngine([echo]), "meta");
  expect((await meta.listTools()).tools).toHaveLength(4);
  expect(await meta.callTool({ name: "echo", arguments: { text: "x" } })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "TOOL_NOT_FOUND" } },
  });
  const through = await meta.callTool({ name: "ExecuteWorkspaceTool", arguments: { name: "echo", arguments: { text: "x" } } });
  expect(through).toMatchObject({ structuredContent: { text: "x" } });
  const direct = await connected(testEngine([echo]), "direct");
  expect(await direct.callTool({ name: "ExecuteWorkspaceTool", arguments: { name: "echo" } })).toMatchObject({ isError: true });
  expect(await direct.callTool({ name: "echo", arguments: { text: "x" } })).toMatchObject({ structuredContent: { text: "x" } });
});

test("a change of the list is told until the connection closes, and the new tool is listed", async () => {
  const source = changingSource([echo]);
  const client = await connected(testEngine(source));
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  await client.ping();
  source.replace([echo, codeTool("grown", async () => ({ kind: "value", value: 1 }))]);
  await changed.promise;
  expect((await client.listTools()).tools.at(-1)).toMatchObject({ name: "grown", inputSchema: { type: "object", properties: {} } });
  expect(source.listenerCount()).toBe(1);
  await client.close();
  expect(source.listenerCount()).toBe(0);
});

test("while files of the workspace are broken each result says so in its _meta, and nowhere else", async () => {
  const source = changingSource([echo, pick]);
  const unreadable: Problem = {
    code: "JSON_SYNTAX",
    severity: "error",
    place: { kind: "file", file: "tools.json" },
    message: "Expected a value.",
  };
  const broken = { ...source, current: () => ({ ...source.current(), unreadable }) };
  const note = {
    note: "The workspace cannot be read as it is now; what it said last stays in service. tools.json Expected a value.",
    problem: { code: "JSON_SYNTAX", severity: "error", message: "Expected a value.", file: "tools.json" },
  };
  const callBoth = async (client: Client): Promise<readonly unknown[]> => {
    await client.listTools();
    return [
      await client.callTool({ name: "echo", arguments: { text: "x" } }),
      await client.callTool({ name: "pick", arguments: { where: null } }),
    ];
  };
  const [plain, plainFailure] = await callBoth(await connected(testEngine(source)));
  expect(plain).toEqual({ content: [{ type: "text", text: '{"text":"x"}' }], structuredContent: { text: "x" } });
  expect(plainFailure).toHaveProperty("_meta", { [ERROR_META_KEY]: expect.anything() });
  const [ok, failure] = await callBoth(await connected(testEngine(broken)));
  expect(ok).toEqual({ ...(typeof plain === "object" ? plain : {}), _meta: { [WORKSPACE_META_KEY]: note } });
  expect(failure).toHaveProperty("_meta", { [ERROR_META_KEY]: expect.anything(), [WORKSPACE_META_KEY]: note });
  await using server = await startTestHttp(testEngine(broken));
  expect(await messagesOf(await callModern(server.url, "echo", { text: "x" }))).toMatchObject([
    { result: { structuredContent: { text: "x" }, _meta: { [WORKSPACE_META_KEY]: note } } },
  ]);
});
