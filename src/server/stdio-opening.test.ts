// Which version each request over stdio is served by: the one it names, and no other because of the requests before it.
import { expect, test } from "vitest";
import { echo, testEngine } from "../../test/support/mcp-engine.ts";
import { INITIALIZE, legacyMessage, modernMessage, notification } from "../../test/support/mcp-http.ts";
import { connectLegacy, connectPiped } from "../../test/support/mcp-pipe.ts";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const discover = modernMessage("server/discover", {}, 1);
const list = (id: number): object => modernMessage("tools/list", {}, id);

test("a version that is not served is refused with those that are, whatever was served before", async () => {
  const client = connectPiped(testEngine([echo]));
  const other = (version: string, id: number): object => modernMessage("tools/list", {}, id, {}, { [VERSION_KEY]: version });
  client.send(other("2030-01-01", 1), list(2), other("2030-01-01", 3), other("2025-11-25", 4), other("x".repeat(300), 5), list(6));
  const refusal = (id: number, requested: string): object => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32_022, message: `Unsupported protocol version: ${requested}`, data: { supported: ["2026-07-28"], requested } },
  });
  expect(await client.answer(1)).toEqual(refusal(1, "2030-01-01"));
  expect(await client.answer(3)).toEqual(refusal(3, "2030-01-01"));
  expect(await client.answer(4)).toEqual(refusal(4, "2025-11-25"));
  expect(await client.answer(5)).toEqual(refusal(5, `${"x".repeat(200)}…`));
  for (const id of [2, 6]) expect(await client.answer(id)).toMatchObject({ result: { resultType: "complete" } });
});

test("after server/discover a request that names no version is malformed, and does not turn the connection to an older one", async () => {
  const client = connectPiped(testEngine([echo]));
  client.send(discover, legacyMessage("tools/list", {}, 2), legacyMessage("ping", {}, 3), list(4), legacyMessage("tools/list", {}, 5));
  const message = expect.stringMatching(/^This connection was opened by 2026-07-28, so each request needs "_meta" with /);
  for (const id of [2, 3, 5]) expect(await client.answer(id)).toEqual({ jsonrpc: "2.0", id, error: { code: -32_602, message } });
  expect(await client.answer(4)).toMatchObject({ result: { resultType: "complete" } });
});

test("a notification that names no version opens nothing, neither before nor after server/discover", async () => {
  const client = connectPiped(testEngine([echo]));
  const cancelled = notification("notifications/cancelled", { requestId: 1 });
  client.send(cancelled, discover);
  expect(await client.answer(1)).toHaveProperty("result.supportedVersions");
  client.send(cancelled, list(2));
  expect(await client.answer(2)).toMatchObject({ result: { resultType: "complete" } });
});

test("a client of both generations may go back to initialize after server/discover, and is then served by the older version", async () => {
  const client = connectPiped(testEngine([echo]));
  client.send(discover, legacyMessage("initialize", INITIALIZE, 2), notification("notifications/initialized"));
  expect(await client.answer(2)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  client.send(legacyMessage("tools/call", { name: "echo", arguments: { text: "x" } }, 3));
  expect(await client.answer(3)).toEqual({
    jsonrpc: "2.0",
    id: 3,
    result: { content: [{ type: "text", text: '{"text":"x"}' }], structuredContent: { text: "x" } },
  });
});

test("a connection that began with initialize is served without versions, and one that began with 2026-07-28 refuses initialize", async () => {
  const engine = testEngine([echo]);
  const legacy = await connectLegacy(engine);
  legacy.send(legacyMessage("tools/list", {}, 1), legacyMessage("ping", {}, 2));
  expect(await legacy.answer(1)).toHaveProperty("result.tools");
  expect(await legacy.answer(2)).toHaveProperty("result", {});
  const modern = connectPiped(engine);
  modern.send(list(1), legacyMessage("initialize", INITIALIZE, 2));
  expect(await modern.answer(2)).toMatchObject({ error: { code: -32_022, data: { supported: ["2026-07-28"], requested: "2025-11-25" } } });
});
