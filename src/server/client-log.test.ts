import { expect, test } from "vitest";
import { codeTool, testEngine } from "../../test/support/mcp-engine.ts";
import { legacyMessage, modernHeaders, modernMessage, openSession, post, startTestHttp } from "../../test/support/mcp-http.ts";
import { type Inbox, paramsOf, readEvents } from "../../test/support/mcp-inbox.ts";
import { connectLegacy, connectPiped } from "../../test/support/mcp-pipe.ts";

const talks = codeTool("talks", async ({ log }) => {
  for (const level of ["debug", "info", "warn", "error"] as const) log({ level, text: `a line of ${level}` });
  return { kind: "value", value: "talked" };
});
const engine = testEngine([talks]);
const call = { name: "talks", arguments: {} };
const talked = { result: { content: [{ text: "talked" }] } };

function levels(inbox: Inbox): readonly unknown[] {
  return paramsOf(inbox, "notifications/message").map(({ level }) => level);
}

test("a 2025 client hears no log line before it set a level, then those at or above it, and a new level counts at once", async () => {
  const client = await connectLegacy(engine);
  client.send(legacyMessage("tools/call", call, 1));
  expect(await client.answer(1)).toMatchObject(talked);
  expect(levels(client)).toEqual([]);
  client.send(legacyMessage("logging/setLevel", { level: "notice" }, 2), legacyMessage("tools/call", call, 3));
  await client.answer(3);
  expect(paramsOf(client, "notifications/message")).toEqual([
    { level: "warning", data: "a line of warn", logger: "script" },
    { level: "error", data: "a line of error", logger: "script" },
  ]);
  client.send(legacyMessage("logging/setLevel", { level: "debug" }, 4), legacyMessage("tools/call", call, 5));
  await client.answer(5);
  expect(levels(client).slice(2)).toEqual(["debug", "info", "warning", "error"]);
  client.send(legacyMessage("logging/setLevel", { level: "emergency" }, 6), legacyMessage("tools/call", call, 7));
  await client.answer(7);
  expect(levels(client)).toHaveLength(6);
});

test("a level that there is not is refused, and the one in force stays", async () => {
  const client = await connectLegacy(engine);
  client.send(legacyMessage("logging/setLevel", { level: "error" }, 1), legacyMessage("logging/setLevel", { level: "loud" }, 2));
  expect(await client.answer(2)).toMatchObject({ error: { code: -32_602 } });
  client.send(legacyMessage("tools/call", call, 3));
  await client.answer(3);
  expect(levels(client)).toEqual(["error"]);
});

test("the level of one HTTP session says nothing of another, and lines come on the stream of the call that wrote them", async () => {
  await using server = await startTestHttp(engine);
  const [loud, quiet] = [await openSession(server.url), await openSession(server.url)];
  await post(server.url, legacyMessage("logging/setLevel", { level: "info" }, 1), { "mcp-session-id": loud });
  const heard = async (session: string): Promise<readonly unknown[]> => {
    const stream = readEvents(await post(server.url, legacyMessage("tools/call", call, 2), { "mcp-session-id": session }));
    await stream.ended;
    expect(await stream.answer(2)).toMatchObject(talked);
    return levels(stream);
  };
  expect(await heard(loud)).toEqual(["info", "warning", "error"]);
  expect(await heard(quiet)).toEqual([]);
});

test("a 2026 client hears what each request asks for by its own level, over both transports, and nothing otherwise", async () => {
  const asking = (id: number, level?: string): object =>
    modernMessage("tools/call", call, id, {}, level === undefined ? {} : { "io.modelcontextprotocol/logLevel": level });
  const client = connectPiped(engine);
  client.send(asking(1, "warning"));
  await client.answer(1);
  expect(levels(client)).toEqual(["warning", "error"]);
  client.send(asking(2));
  await client.answer(2);
  expect(levels(client)).toHaveLength(2);
  await using server = await startTestHttp(engine);
  const headers = modernHeaders("tools/call", "talks");
  const stream = readEvents(await post(server.url, asking(3, "debug"), headers));
  await stream.ended;
  expect(levels(stream)).toEqual(["debug", "info", "warning", "error"]);
  const plain = await post(server.url, asking(4), headers);
  expect([plain.headers.get("content-type"), await plain.json()]).toMatchObject(["application/json", talked]);
});
