import { expect, test } from "vitest";
import { legacyMessage, messagesOf, modernHeaders, modernMessage, post, startTestHttp } from "../../test/support/mcp-http.ts";
import { connectLegacy } from "../../test/support/mcp-pipe.ts";
import { makeHome, openTestRuntime, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";
import { isJsonObject } from "../core/json.ts";

const PARAMETERS = {
  type: "object",
  properties: {
    "sort by": { enum: ["name", "amount", "ambit"] },
    level: { enum: [1, 2, null] },
    loud: { type: "boolean" },
    only: { const: "this" },
    tags: { type: "array", items: { type: "string", enum: ["red", "green"] } },
    unit: { anyOf: [{ enum: ["m", "km"] }, { type: "null" }] },
    free: { type: "string" },
  },
};

async function open(settings: object = {}): Promise<TestRuntime> {
  const tools = [entry("search", { parameters: PARAMETERS }), entry("shout"), entry("lost", { script: "scripts/none.js" })];
  return openTestRuntime(makeWorkspaceFolder(tools, { "toolyard.json": settings }), makeHome());
}

type Complete = (uri: string, argument: string, typed?: string) => Promise<unknown>;

async function completing({ engine }: TestRuntime, agent = "default"): Promise<Complete> {
  const client = await connectLegacy(engine, { caller: { agent, origin: "mcp" } });
  let id = 0;
  return async (uri, name, value = "") => {
    client.send(legacyMessage("completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value } }, ++id));
    const { result } = await client.answer(id);
    return isJsonObject(result) && isJsonObject(result.completion) ? result.completion.values : result;
  };
}

const TOOL = "toolyard://tools/{name}";
const SEARCH = "toolyard://tools/search";

test("names of tools are completed, those that begin with what was typed first, and none that is broken", async () => {
  const complete = await completing(await open());
  expect(await complete(TOOL, "name", "S")).toEqual([
    "search",
    "shout",
    "GetWorkspaceTools",
    "ExecuteWorkspaceTool",
    "ReloadWorkspaceTools",
    "ReadWorkspaceResult",
  ]);
  expect(await complete(TOOL, "name", "lost")).toEqual([]);
  expect(await complete(TOOL, "other", "s")).toEqual([]);
});

test("arguments of a tool whose schema allows only some values are completed by the tool's resource and the name that clients get", async () => {
  const complete = await completing(await open());
  expect(await complete(SEARCH, "sort_by")).toEqual(["name", "amount", "ambit"]);
  expect(await complete(SEARCH, "sort_by", "AM")).toEqual(["amount", "ambit", "name"]);
  expect(await complete(SEARCH, "level")).toEqual(["1", "2", "null"]);
  expect(await complete(SEARCH, "loud", "t")).toEqual(["true"]);
  expect(await complete(SEARCH, "only")).toEqual(["this"]);
  expect(await complete(SEARCH, "tags")).toEqual(["red", "green"]);
  expect(await complete(SEARCH, "unit", "m")).toEqual(["m", "km"]);
  for (const argument of ["free", "constructor", "__proto__", ""]) expect(await complete(SEARCH, argument)).toEqual([]);
  for (const uri of ["toolyard://tools/none", "toolyard://tools/%", "toolyard://tools/lost"])
    expect(await complete(uri, "loud")).toEqual([]);
});

test("an edit is completed at once, and an agent that may see no tool completes none of its own", async () => {
  const runtime = await open();
  const complete = await completing(runtime);
  putFiles(runtime.root, { "tools.json": { tools: [entry("search", { parameters: { properties: { loud: { enum: ["very"] } } } })] } });
  expect(await complete(SEARCH, "loud")).toEqual(["very"]);
  const hidden = await completing(await open({ agents: [{ agentId: "ann" }] }), "stranger");
  expect(await hidden(TOOL, "name", "sh")).toEqual([]);
  expect(await hidden(SEARCH, "loud")).toEqual([]);
});

test("at most 100 values are given, with the number of all, and 2026 clients get the same", async () => {
  const names = Array.from({ length: 130 }, (_, index) => `v${index}`);
  const root = makeWorkspaceFolder([entry("many", { parameters: { type: "object", properties: { one: { enum: names } } } })]);
  const { engine } = await openTestRuntime(root, makeHome());
  await using server = await startTestHttp(engine);
  const params = { ref: { type: "ref/resource", uri: "toolyard://tools/many" }, argument: { name: "one", value: "v" } };
  const response = await post(server.url, modernMessage("completion/complete", params), modernHeaders("completion/complete"));
  expect(await messagesOf(response)).toMatchObject([
    { result: { completion: { values: names.slice(0, 100), total: 130, hasMore: true } } },
  ]);
});
