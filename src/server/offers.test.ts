import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { messagesOf, modernHeaders, modernMessage, post, startTestHttp, textUntil } from "../../test/support/mcp-http.ts";
import { makeHome, openTestRuntime, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";
import { silentLog } from "../core/log.ts";
import { announceChanges } from "./changes.ts";
import { buildMcpServer } from "./mcp-server.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC", "base64");

const OFFERS = {
  prompts: [
    {
      name: "review",
      description: "Reviews a file",
      arguments: [
        { name: "path", description: "The file", required: true },
        { name: "depth", values: ["quick", "quiet", "whole"] },
      ],
      messages: [{ text: "Review {{path}}, {{depth}}." }, { role: "assistant", file: "red.png" }, { file: "a.md", uri: "docs://{{path}}" }],
    },
    { name: "wrong", description: "Says it is an image", messages: [{ file: "a.md", mimeType: "image/png" }] },
  ],
  resources: [
    { uri: "docs://a", name: "a", file: "a.md" },
    { uri: "docs://red", name: "red", file: "red.png" },
    { uri: "docs://{id}/info", name: "info", file: "info.json" },
  ],
};

const FILES = { "a.md": "A {{path}}", "red.png": PNG, "info.json": '{"id":"{{id}}","other":"{{other}}"}' };

async function open(settings: object = {}, watch = false): Promise<TestRuntime> {
  const root = makeWorkspaceFolder([entry("find-it", { description: "Finds." }), entry("big")], { ...FILES, "toolyard.json": settings });
  putFiles(root, {
    "tools.json": { tools: [entry("find-it"), entry("big", { script: "scripts/big.js" })], ...OFFERS },
    "scripts/big.js": 'function main() { return "x".repeat(100_000); }\n',
  });
  return openTestRuntime(root, makeHome(), { watch });
}

/** A 1.x client in this process. */
async function connect({ engine }: TestRuntime, agent = "default"): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = { engine, expose: "both" as const, version: "0", log: silentLog };
  const connection = { caller: { agent, origin: "mcp" as const }, era: "legacy" as const, withInstructions: false };
  const server = await buildMcpServer(serving, connection);
  announceChanges(server, serving, connection);
  // Two SDK generations with the same transport contract; their message types differ only in what is optional.
  await server.connect(far as unknown as Parameters<typeof server.connect>[0]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}

test("prompts are listed without what is only for completion, and given with the arguments in their places, once", async () => {
  const client = await connect(await open());
  expect((await client.listPrompts()).prompts[0]).toEqual({
    name: "review",
    description: "Reviews a file",
    arguments: [
      { name: "path", description: "The file", required: true },
      { name: "depth", required: false },
    ],
  });
  expect(await client.getPrompt({ name: "review", arguments: { path: "{{depth}}" } })).toEqual({
    description: "Reviews a file",
    messages: [
      { role: "user", content: { type: "text", text: "Review {{depth}}, ." } },
      { role: "assistant", content: { type: "image", data: PNG.toString("base64"), mimeType: "image/png" } },
      {
        role: "user",
        content: { type: "resource", resource: { uri: "docs://{{depth}}", mimeType: "text/markdown", text: "A {{depth}}" } },
      },
    ],
  });
});

test("a prompt that does not exist, lacks an argument, or says its file is what it is not, is an error that says so", async () => {
  const client = await connect(await open());
  await expect(client.getPrompt({ name: "constructor" })).rejects.toMatchObject({ code: -32_602 });
  await expect(client.getPrompt({ name: "review" })).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining("path") });
  await expect(client.getPrompt({ name: "wrong" })).rejects.toMatchObject({ code: -32_603, message: expect.stringContaining("a.md") });
});

test("names that are nearly those of a prompt, of its argument, of a resource or of a tool are told what they are near to", async () => {
  const client = await connect(await open());
  const refused = (message: string, data: object = {}): object => ({ code: -32_602, message: `MCP error -32602: ${message}`, data });
  const nearest = (name: string): object => ({ nearest: name });
  await expect(client.getPrompt({ name: "reveiw" })).rejects.toMatchObject(
    refused('There is no prompt "reveiw" here. Did you mean "review"?', nearest("review")),
  );
  await expect(
    client.complete({ ref: { type: "ref/prompt", name: "Review" }, argument: { name: "depth", value: "" } }),
  ).rejects.toMatchObject(refused('There is no prompt "Review" here. Did you mean "review"?', nearest("review")));
  await expect(client.getPrompt({ name: "review", arguments: { path: "a", dept: "quick" } })).rejects.toMatchObject(
    refused('The prompt "review" has no argument "dept". Did you mean "depth"?', nearest("depth")),
  );
  await expect(client.getPrompt({ name: "review", arguments: { path: "a", constructor: "x" } })).rejects.toMatchObject(
    refused('The prompt "review" has no argument "constructor". It takes path, depth.', {}),
  );
  await expect(client.readResource({ uri: "docs://rde" })).rejects.toMatchObject(
    refused('There is no such resource here. Did you mean "docs://red"?', { uri: "docs://rde" }),
  );
  await expect(client.readResource({ uri: "toolyard://tools/find_it" })).rejects.toMatchObject(
    refused('There is no tool of this name here. Did you mean "toolyard://tools/find-it"?'),
  );
  await expect(client.subscribeResource({ uri: "toolyard://tools/fnd-it" })).rejects.toMatchObject(
    refused('There is no such resource here, or it never changes. Did you mean "toolyard://tools/find-it"?'),
  );
});

test("a name of any length is repeated cut, in the message and in the data of the error", async () => {
  const client = await connect(await open());
  const shown = `${"x".repeat(200)}…`;
  const long = "x".repeat(100_000);
  await expect(client.getPrompt({ name: long })).rejects.toMatchObject({
    message: `MCP error -32602: There is no prompt "${shown}" here. prompts/list gives those there are.`,
  });
  await expect(client.readResource({ uri: long })).rejects.toMatchObject({ data: { uri: shown } });
  for (const called of [
    { name: long },
    { name: "GetWorkspaceTools", arguments: { name: long } },
    { name: "ExecuteWorkspaceTool", arguments: { name: long } },
  ]) {
    const result = JSON.stringify(await client.callTool(called));
    expect([result.split(shown).length - 1, result.length < 2_000]).toEqual([2, true]);
  }
});

test("resources are read as they are now: text, bytes, templates; and only places the URI gives are filled", async () => {
  const runtime = await open();
  const client = await connect(runtime);
  expect((await client.listResources()).resources.map(({ uri, mimeType, size }) => [uri, mimeType, size])).toEqual([
    ["docs://a", "text/markdown", 10],
    ["docs://red", "image/png", PNG.length],
  ]);
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "docs://{id}/info",
    "toolyard://tools/{name}",
    "toolyard://results/{id}",
  ]);
  const read = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents[0];
  expect(await read("docs://a")).toEqual({ uri: "docs://a", mimeType: "text/markdown", text: "A {{path}}" });
  expect(await read("docs://red")).toEqual({ uri: "docs://red", mimeType: "image/png", blob: PNG.toString("base64") });
  expect(await read("docs://7%22/info")).toMatchObject({ text: '{"id":"7"","other":"{{other}}"}' });
  putFiles(runtime.root, { "a.md": "edited" });
  expect(await read("docs://a")).toMatchObject({ text: "edited" });
  await expect(client.readResource({ uri: "docs://none" })).rejects.toMatchObject({ code: -32_602, data: { uri: "docs://none" } });
});

test("the definition of a tool is a resource, by its plain or encoded name", async () => {
  const client = await connect(await open());
  const { contents } = await client.readResource({ uri: "toolyard://tools/find%2Dit" });
  expect(JSON.parse(String(contents[0] !== undefined && "text" in contents[0] ? contents[0].text : ""))).toMatchObject({
    name: "find-it",
    inputSchema: { type: "object" },
  });
  for (const name of ["none", "..%2Ffind-it", "%", ""]) {
    await expect(client.readResource({ uri: `toolyard://tools/${name}` })).rejects.toMatchObject({ code: -32_602 });
  }
});

test("a kept result is listed and read as a resource, whole or in parts, by the agent it belongs to and no other", async () => {
  const runtime = await open({ agents: [{ agentId: "one" }, { agentId: "two" }] });
  const one = await connect(runtime, "one");
  await one.callTool({ name: "big" });
  const resource = (await one.listResources()).resources.find(({ uri }) => uri.startsWith("toolyard://results/"));
  const uri = String(resource?.uri);
  expect(resource?.name).toBe("result-of-big");
  expect((await one.readResource({ uri })).contents[0]).toMatchObject({ uri, mimeType: "text/plain", text: "x".repeat(100_000) });
  expect((await one.readResource({ uri: `${uri}?offset=99990&limit=5` })).contents[0]).toMatchObject({ text: "xxxxx" });
  const two = await connect(runtime, "two");
  await expect(two.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  expect((await two.listResources()).resources.map((item) => item.uri)).not.toContain(uri);
});

test("an agent that the workspace does not define sees no prompts and no resources, and whatever it names it is told why", async () => {
  const runtime = await open({ agents: [{ agentId: "one" }] });
  const client = await connect(runtime, "stranger");
  expect((await client.listPrompts()).prompts).toEqual([]);
  expect((await client.listResources()).resources).toEqual([]);
  const denial = runtime.engine.denial({ agent: "stranger", origin: "mcp" });
  expect(denial).toMatch(/^The agent "stranger" may use no tool of this workspace/);
  const denied = { code: -32_602, message: `MCP error -32602: ${denial}`, data: { code: "DENIED" } };
  for (const uri of ["docs://a", "docs://none", "toolyard://tools/find-it", "toolyard://tools/none", "toolyard://results/0"]) {
    await expect(client.readResource({ uri })).rejects.toMatchObject(denied);
    await expect(client.subscribeResource({ uri })).rejects.toMatchObject(denied);
  }
  for (const name of ["review", "none"]) {
    await expect(client.getPrompt({ name, arguments: { path: "x" } })).rejects.toMatchObject(denied);
    const ref = { type: "ref/prompt", name } as const;
    await expect(client.complete({ ref, argument: { name: "depth", value: "" } })).rejects.toMatchObject(denied);
  }
});

test("completion knows values of prompt arguments, names of tools and nothing of what does not exist", async () => {
  const client = await connect(await open());
  const complete = async (ref: Parameters<typeof client.complete>[0]["ref"], name: string, value: string): Promise<unknown> =>
    (await client.complete({ ref, argument: { name, value } })).completion;
  const review = { type: "ref/prompt", name: "review" } as const;
  expect(await complete(review, "depth", "QUI")).toEqual({ values: ["quick", "quiet"], total: 2, hasMore: false });
  expect(await complete(review, "depth", "hole")).toMatchObject({ values: ["whole"] });
  expect(await complete(review, "path", "")).toMatchObject({ values: [] });
  expect(await complete({ type: "ref/resource", uri: "toolyard://tools/{name}" }, "name", "find")).toMatchObject({ values: ["find-it"] });
  await expect(complete({ type: "ref/prompt", name: "none" }, "x", "")).rejects.toMatchObject({ code: -32_602 });
});

test("a 2025 client hears of changed lists of prompts and resources, and of a resource it subscribed to, until it unsubscribes", async () => {
  const runtime = await open();
  const client = await connect(runtime);
  const heard: string[] = [];
  let wake = Promise.withResolvers<void>();
  const note = (what: string): void => {
    heard.push(what);
    wake.resolve();
  };
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => note("prompts"));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => note("resources"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => note(params.uri));
  const edit = async (files: Readonly<Record<string, unknown>>): Promise<void> => {
    wake = Promise.withResolvers();
    putFiles(runtime.root, files);
    await runtime.engine.refresh({ kind: "all" });
  };
  await client.subscribeResource({ uri: "docs://a" });
  await client.subscribeResource({ uri: "toolyard://tools/big" });
  await expect(client.subscribeResource({ uri: "docs://none" })).rejects.toMatchObject({ code: -32_602 });
  await edit({ "a.md": "another", "red.png": Buffer.concat([PNG, PNG]) });
  await wake.promise;
  await edit({ "scripts/big.js": "function main() { return 2; }\n" });
  await wake.promise;
  await client.unsubscribeResource({ uri: "docs://a" });
  await edit({ "a.md": "a third", "tools.json": { tools: [], prompts: OFFERS.prompts.slice(1), resources: OFFERS.resources } });
  await wake.promise;
  expect(heard).toEqual(["docs://a", "toolyard://tools/big", "prompts", "toolyard://tools/big"]);
});

test("an edit of the file of a resource or prompt is told as that, and not as a change of tools", async () => {
  const runtime = await open();
  const client = await connect(runtime);
  const heard: string[] = [];
  let wake = Promise.withResolvers<void>();
  client.fallbackNotificationHandler = async ({ method }) => {
    heard.push(method);
    wake.resolve();
  };
  const after = async (files: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
    wake = Promise.withResolvers();
    putFiles(runtime.root, files);
    await runtime.engine.refresh({ kind: "all" });
    await wake.promise;
    return heard.splice(0);
  };
  await client.subscribeResource({ uri: "docs://a" });
  expect(await after({ "a.md": "another" })).toEqual(["notifications/resources/updated"]);
  const tools = [entry("find-it"), entry("big", { script: "scripts/big.js" })];
  const described = { ...OFFERS, prompts: OFFERS.prompts.map((prompt) => ({ ...prompt, description: "Edited" })) };
  expect(await after({ "tools.json": { tools, ...described } })).toEqual(["notifications/prompts/list_changed"]);
  expect(await after({ "tools.json": { tools, ...described, resources: OFFERS.resources.slice(0, 2) } })).toEqual([
    "notifications/resources/list_changed",
  ]);
  expect(await after({ "tools.json": { tools: tools.slice(1), ...described, resources: OFFERS.resources.slice(0, 2) } })).toEqual([
    "notifications/tools/list_changed",
  ]);
});

test("a prompt or resource that is set aside says so with the reason and its place, and one that is mended is given at once", async () => {
  const runtime = await open();
  const client = await connect(runtime);
  const tools = [entry("find-it")];
  const prompts = [
    { name: "gone", description: "No file", messages: [{ file: "none.md" }] },
    { name: "neither", description: "No message" },
    { name: "ok", description: "Fine", file: "a.md" },
    { name: "OK", description: "Twice", file: "a.md" },
  ];
  const resources = [
    { uri: "docs://gone", name: "gone", file: "none.md" },
    { uri: "docs://{id}/gone", name: "gones", file: "none.md" },
    { uri: "docs://up", name: "up", file: "../up.md" },
  ];
  putFiles(runtime.root, { "tools.json": { tools, prompts, resources } });
  const setAside = (reason: string): object => ({
    code: -32_603,
    message: expect.stringMatching(
      new RegExp(`is set aside: tools\\.json:\\d+:\\d+ ${reason}.* Mend it and ask again; no restart is needed\\.$`),
    ),
  });
  await expect(client.getPrompt({ name: "gone" })).rejects.toMatchObject({
    ...setAside(".*none\\.md"),
    data: { problem: { code: "FILE_MISSING", file: "tools.json", offer: 'prompt "gone"' } },
  });
  await expect(client.getPrompt({ name: "neither" })).rejects.toMatchObject(setAside("A prompt has either"));
  await expect(client.getPrompt({ name: "OK" })).rejects.toMatchObject(setAside("Another prompt"));
  expect(await client.getPrompt({ name: "ok" })).toMatchObject({ description: "Fine" });
  await expect(client.complete({ ref: { type: "ref/prompt", name: "gone" }, argument: { name: "x", value: "" } })).rejects.toMatchObject(
    setAside(".*none\\.md"),
  );
  await expect(client.readResource({ uri: "docs://gone" })).rejects.toMatchObject({
    ...setAside(".*none\\.md"),
    data: { uri: "docs://gone", problem: { code: "FILE_MISSING" } },
  });
  await expect(client.readResource({ uri: "docs://7/gone" })).rejects.toMatchObject(setAside(".*none\\.md"));
  await expect(client.readResource({ uri: "docs://up" })).rejects.toMatchObject(setAside('"file"'));
  await expect(client.subscribeResource({ uri: "docs://gone" })).rejects.toMatchObject(setAside(".*none\\.md"));
  await expect(client.readResource({ uri: "docs://none" })).rejects.toMatchObject({ code: -32_602 });
  putFiles(runtime.root, { "none.md": "Here." });
  expect(await client.getPrompt({ name: "gone" })).toMatchObject({ messages: [{ content: { text: "Here." } }] });
  expect((await client.readResource({ uri: "docs://gone" })).contents).toMatchObject([{ text: "Here." }]);
});

test("a 2026 client hears over HTTP of the lists and the one resource it listens for", async () => {
  const runtime = await open();
  const server = await startTestHttp(runtime.engine);
  onTestFinished(() => server.close(0));
  const filter = { promptsListChanged: true, resourceSubscriptions: ["docs://a"] };
  const stream = await post(
    server.url,
    modernMessage("subscriptions/listen", { notifications: filter }),
    modernHeaders("subscriptions/listen"),
  );
  putFiles(runtime.root, { "a.md": "another", "tools.json": { tools: [], prompts: [], resources: OFFERS.resources } });
  await runtime.engine.refresh({ kind: "all" });
  const text = await textUntil(stream, "resources/updated");
  expect(text).toContain("notifications/prompts/list_changed");
  expect(text).not.toContain("notifications/tools/list_changed");
  expect(text).toContain('"uri":"docs://a"');
  const listed = await post(server.url, modernMessage("prompts/list"), modernHeaders("prompts/list"));
  expect(await messagesOf(listed)).toMatchObject([{ result: { prompts: [] } }]);
});
