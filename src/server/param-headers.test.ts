import { expect, onTestFinished, test } from "vitest";
import { connectClient } from "../../test/support/mcp-clients.ts";
import { codeTool, testEngine } from "../../test/support/mcp-engine.ts";
import { modernHeaders, modernMessage, post, startTestHttp, TEST_TOKEN } from "../../test/support/mcp-http.ts";
import type { Expose } from "./expose.ts";

const REGION = {
  parameters: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" }, limit: { type: "integer", "x-mcp-header": "Limit" } },
  },
} as const;

async function start(expose: Expose = "both"): Promise<{ readonly url: string; readonly calls: unknown[] }> {
  const calls: unknown[] = [];
  const tool = codeTool(
    "query",
    async (_context, args) => {
      calls.push(args);
      return { kind: "value", value: "ran" };
    },
    REGION,
  );
  const server = await startTestHttp(testEngine([tool]), { expose });
  onTestFinished(() => server.close(0));
  return { url: server.url, calls };
}

async function callWith(url: string, args: object, headers: Record<string, string>): Promise<{ status: number; code: number | undefined }> {
  const message = modernMessage("tools/call", { name: "query", arguments: args });
  const response = await post(url, message, { ...modernHeaders("tools/call", "query"), ...headers });
  const { error } = JSON.parse(await response.text());
  return { status: response.status, code: error?.code };
}

const SERVED = { status: 200, code: undefined };
const MISMATCH = { status: 400, code: -32_020 };

test("a header that x-mcp-header asks for has to say what the argument says, else the tool does not run", async () => {
  const { url, calls } = await start();
  expect(await callWith(url, { region: "north" }, { "Mcp-Param-Region": "south" })).toEqual(MISMATCH);
  expect(await callWith(url, { region: "north" }, {})).toEqual(MISMATCH);
  expect(await callWith(url, { region: "Hello" }, { "Mcp-Param-Region": "=?base64?SGVsbG8?=" })).toEqual(MISMATCH);
  expect(await callWith(url, { limit: 5 }, { "Mcp-Param-Limit": "6" })).toEqual(MISMATCH);
  expect(calls).toEqual([]);
});

test("what agrees is served, also encoded, and without a value no header is asked for", async () => {
  const { url, calls } = await start();
  expect(await callWith(url, { region: "north", limit: 5 }, { "Mcp-Param-Region": "north", "Mcp-Param-Limit": "5" })).toEqual(SERVED);
  expect(await callWith(url, { region: "Zürich" }, { "Mcp-Param-Region": "=?base64?WsO8cmljaA==?=" })).toEqual(SERVED);
  expect(await callWith(url, {}, {})).toEqual(SERVED);
  expect(calls).toEqual([{ region: "north", limit: 5 }, { region: "Zürich" }, {}]);
});

test("two headers of the same name do not pass as one of them", async () => {
  const { url, calls } = await start();
  const message = modernMessage("tools/call", { name: "query", arguments: { region: "north" } });
  const headers = new Headers({ ...modernHeaders("tools/call", "query"), "content-type": "application/json" });
  headers.set("accept", "application/json, text/event-stream");
  headers.set("authorization", `Bearer ${TEST_TOKEN}`);
  headers.append("Mcp-Param-Region", "north");
  headers.append("Mcp-Param-Region", "south");
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(message) });
  expect(response.status).toBe(400);
  expect(calls).toEqual([]);
});

test("the 2.x client sends these headers by itself, and its calls are served", async () => {
  const { url, calls } = await start();
  await using client = await connectClient("sdk 2.x at 2026-07-28", { kind: "http", url, token: TEST_TOKEN });
  expect(await client.toolNames()).toContain("query");
  expect(await client.call("query", { region: "Zürich", limit: 3 })).toMatchObject({ isError: false, text: "ran" });
  expect(calls).toEqual([{ region: "Zürich", limit: 3 }]);
});

test("of a tool that is not shown no headers are asked for; the call says that it is not callable here", async () => {
  const { url, calls } = await start("meta");
  expect(await callWith(url, { region: "north" }, {})).toEqual(SERVED);
  expect(calls).toEqual([]);
});
