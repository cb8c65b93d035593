// What 2026-07-28 has and older revisions have not: discovery without a handshake, headers that repeat the body, subscriptions.
import { expect, test } from "vitest";
import { changingSource, codeTool, echo, testEngine } from "../../test/support/mcp-engine.ts";
import { messagesOf, modernHeaders, modernMessage, post, startTestHttp } from "../../test/support/mcp-http.ts";
import { type Inbox, paramsOf, readEvents } from "../../test/support/mcp-inbox.ts";
import { connectPiped } from "../../test/support/mcp-pipe.ts";
import { makeHome, openTestRuntime, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";

const call = modernMessage("tools/call", { name: "echo", arguments: { text: "x" } });

test("server/discover tells revisions, capabilities and instructions without a handshake, over both transports", async () => {
  const engine = testEngine([echo]);
  await using server = await startTestHttp(engine);
  const overHttp = await messagesOf(await post(server.url, modernMessage("server/discover"), modernHeaders("server/discover")));
  const client = connectPiped(engine);
  client.send(modernMessage("server/discover"));
  for (const message of [overHttp[0], await client.answer(1)]) {
    expect(message).toMatchObject({
      id: 1,
      result: {
        supportedVersions: ["2026-07-28"],
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
        },
        instructions: expect.stringContaining("- echo: "),
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "toolyard" } },
      },
    });
  }
});

test("a head that says otherwise than the body is refused with -32020 before any tool runs, and the matching one is served", async () => {
  let calls = 0;
  const counted = codeTool("echo", async () => {
    calls++;
    return { kind: "value", value: calls };
  });
  await using server = await startTestHttp(testEngine([counted]));
  const right = modernHeaders("tools/call", "echo");
  const { "mcp-name": _name, ...withoutName } = right;
  const { "mcp-method": _method, ...withoutMethod } = right;
  const wrong: readonly Record<string, string>[] = [
    { ...right, "mcp-method": "tools/list" },
    { ...right, "mcp-method": "TOOLS/CALL" },
    { ...right, "mcp-name": "GetWorkspaceTools" },
    { ...right, "mcp-name": "=?base64?!!?=" },
    { ...right, "mcp-protocol-version": "2025-11-25" },
    withoutName,
    withoutMethod,
  ];
  for (const headers of wrong) {
    const response = await post(server.url, call, headers);
    expect([headers, response.status, await response.json()]).toMatchObject([headers, 400, { id: 1, error: { code: -32_020 } }]);
  }
  expect(calls).toBe(0);
  const encoded = `=?base64?${Buffer.from("echo").toString("base64")}?=`;
  for (const headers of [right, { ...right, "mcp-name": encoded }]) expect((await post(server.url, call, headers)).status).toBe(200);
  expect(calls).toBe(2);
});

test("a head of 2026-07-28 over a body without its envelope is refused, not taken for an older client", async () => {
  await using server = await startTestHttp(testEngine([echo]));
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const response = await post(server.url, body, modernHeaders("tools/list"));
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32_602 } }]);
});

test("a request whose _meta lacks the capabilities gets 400 over HTTP and the same words over stdio, before and after a good one", async () => {
  const engine = testEngine([echo]);
  await using server = await startTestHttp(engine);
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } };
  const response = await post(server.url, body, modernHeaders("tools/list"));
  const message = expect.stringMatching(/^"_meta\.io\.modelcontextprotocol\/clientCapabilities" of tools\/list must be/);
  expect([response.status, await response.json()]).toMatchObject([400, { id: 1, error: { code: -32_602, message } }]);
  const client = connectPiped(engine);
  client.send({ ...body, id: 2 }, modernMessage("tools/list", {}, 3), { ...body, id: 4 });
  for (const id of [2, 4]) expect(await client.answer(id)).toMatchObject({ error: { code: -32_602, message } });
  expect(await client.answer(3)).toHaveProperty("result.tools");
});

const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

function listed(inbox: Inbox): readonly string[] {
  return inbox.messages.flatMap(({ method }) => (typeof method === "string" && method.endsWith("list_changed") ? [method] : []));
}

async function openOffers(): Promise<TestRuntime> {
  return openTestRuntime(makeWorkspaceFolder([entry("one")], { "a.md": "A" }), makeHome());
}

async function addOffers({ root, engine }: TestRuntime): Promise<void> {
  putFiles(root, {
    "tools.json": {
      tools: [entry("one"), entry("two")],
      prompts: [{ name: "ask", description: "Asks", file: "a.md" }],
      resources: [{ uri: "docs://a", name: "a", file: "a.md" }],
    },
  });
  await engine.refresh({ kind: "all" });
}

test("a subscription over HTTP hears of tools, prompts and resources that come, each by itself, and only what it named", async () => {
  const runtime = await openOffers();
  await using server = await startTestHttp(runtime.engine);
  const subscribe = async (notifications: object, id: number): Promise<Inbox> => {
    const stream = readEvents(
      await post(server.url, modernMessage("subscriptions/listen", { notifications }, id), modernHeaders("subscriptions/listen")),
    );
    await stream.heard(({ method }) => method === "notifications/subscriptions/acknowledged");
    return stream;
  };
  const all = await subscribe(ALL, 1);
  const prompts = await subscribe({ promptsListChanged: true }, 2);
  const resources = await subscribe({ resourcesListChanged: true }, 3);
  await addOffers(runtime);
  await Promise.all([all, prompts, resources].map((inbox) => inbox.heard(() => listed(inbox).length > 0)));
  await all.heard(() => listed(all).length === 3);
  expect([...listed(all)].sort()).toEqual([
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/tools/list_changed",
  ]);
  expect([listed(prompts), listed(resources)]).toEqual([["notifications/prompts/list_changed"], ["notifications/resources/list_changed"]]);
  await server.close(0);
});

test("a subscription over stdio hears the same, by its id, and a client without one hears nothing", async () => {
  const runtime = await openOffers();
  const [client, mute] = [connectPiped(runtime.engine), connectPiped(runtime.engine)];
  client.send(modernMessage("subscriptions/listen", { notifications: ALL }, 7));
  mute.send(modernMessage("tools/list", {}, 1));
  await mute.answer(1);
  await client.heard(({ method }) => method === "notifications/subscriptions/acknowledged");
  await addOffers(runtime);
  await client.heard(() => listed(client).length === 3);
  expect(paramsOf(client, "notifications/prompts/list_changed")).toMatchObject([
    { _meta: { "io.modelcontextprotocol/subscriptionId": 7 } },
  ]);
  mute.send(modernMessage("tools/list", {}, 2), modernMessage("prompts/list", {}, 3));
  expect(await mute.answer(2)).toMatchObject({ result: { tools: expect.arrayContaining([expect.objectContaining({ name: "two" })]) } });
  expect(await mute.answer(3)).toMatchObject({ result: { prompts: [{ name: "ask" }] } });
  expect(listed(mute)).toEqual([]);
});

test("a change of the tools alone is told as that and as nothing else", async () => {
  const source = changingSource([echo]);
  const client = connectPiped(testEngine(source));
  client.send(modernMessage("subscriptions/listen", { notifications: ALL }, 7));
  await client.heard(({ method }) => method === "notifications/subscriptions/acknowledged");
  source.replace([echo, codeTool("grown", async () => ({ kind: "value", value: 1 }))]);
  client.send(modernMessage("tools/list", {}, 8));
  await client.answer(8);
  expect(listed(client)).toEqual(["notifications/tools/list_changed"]);
});

test("over HTTP an edit of a resource's file is told as that alone, and one of the agents as other lists for whoever listens", async () => {
  const root = makeWorkspaceFolder([entry("a")], { "a.md": "A", "toolyard.json": { agents: [{ agentId: "default" }] } });
  putFiles(root, { "tools.json": { tools: [entry("a")], resources: [{ uri: "docs://a", name: "a", file: "a.md" }] } });
  const { engine } = await openTestRuntime(root, makeHome());
  await using server = await startTestHttp(engine);
  const filter = { notifications: { ...ALL, resourceSubscriptions: ["docs://a"] } };
  const stream = readEvents(await post(server.url, modernMessage("subscriptions/listen", filter), modernHeaders("subscriptions/listen")));
  const methods = (): readonly unknown[] =>
    stream.messages.flatMap(({ method }) => (typeof method === "string" && /list_changed|updated/.test(method) ? [method] : []));
  putFiles(root, { "a.md": "Another" });
  await engine.refresh({ kind: "all" });
  await stream.heard(() => methods().length > 0);
  expect(methods()).toEqual(["notifications/resources/updated"]);
  putFiles(root, { "toolyard.json": { agents: [{ agentId: "other" }] } });
  await engine.refresh({ kind: "all" });
  await stream.heard(() => methods().length > 3);
  expect(methods().slice(1).sort()).toEqual([
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/tools/list_changed",
  ]);
});
