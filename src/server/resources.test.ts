// The server's own resources, definitions of tools and kept results: in both generations, within their time, for their agent.
import { expect, test } from "vitest";
import { legacyMessage, messagesOf, modernHeaders, modernMessage, post, startTestHttp } from "../../test/support/mcp-http.ts";
import { connectLegacy } from "../../test/support/mcp-pipe.ts";
import { makeHome, openTestRuntime, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";
import { isJsonObject } from "../core/json.ts";

/** Emoji, so that a part could begin in the middle of a character. */
const LENGTH = 100_000;
const LONG = `function main() { return "😀".repeat(${LENGTH / 2}); }\n`;

interface Bench {
  readonly runtime: TestRuntime;
  readonly clock: { ms: number };
  /** Reads a resource by 2026-07-28 over HTTP: its content, or the error. */
  readonly read: (agent: string, uri: string) => Promise<unknown>;
  /** Calls the tool with the long result and gives the URI it is kept under. */
  readonly keep: (agent: string) => Promise<string>;
}

async function open(): Promise<Bench & AsyncDisposable> {
  const clock = { ms: 1_800_000_000_000 };
  const tools = [entry("long"), entry("typed", { parameters: { type: "object", properties: { "a b": { type: "string" } } } })];
  const root = makeWorkspaceFolder(tools, {
    "scripts/a.js": LONG,
    "toolyard.json": { agents: [{ agentId: "ann" }, { agentId: "bob" }] },
  });
  const runtime = await openTestRuntime(root, makeHome(), { now: () => clock.ms });
  const server = await startTestHttp(runtime.engine, { auth: { kind: "token", verify: (token) => ({ agent: token }) } });
  const ask = async (agent: string, method: string, params: object, name: string): Promise<unknown> => {
    const headers = { ...modernHeaders(method, name), authorization: `Bearer ${agent}` };
    return (await messagesOf(await post(server.url, modernMessage(method, params), headers))).at(-1);
  };
  return {
    runtime,
    clock,
    read: async (agent, uri) => {
      const answer = await ask(agent, "resources/read", { uri }, uri);
      if (!isJsonObject(answer)) return undefined;
      return isJsonObject(answer.result) && Array.isArray(answer.result.contents) ? answer.result.contents[0] : answer.error;
    },
    keep: async (agent) => {
      const answer = await ask(agent, "tools/call", { name: "long", arguments: {} }, "long");
      return `toolyard://results/${/"id\\":\\"([0-9a-v]{26})/.exec(JSON.stringify(answer).replaceAll("\\\\", "\\"))?.[1]}`;
    },
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

test("a kept result is read whole or in parts that never split a character, and past its end it is empty", async () => {
  await using bench = await open();
  const uri = await bench.keep("ann");
  const text = async (query: string): Promise<unknown> => {
    const content = await bench.read("ann", `${uri}${query}`);
    return isJsonObject(content) ? content.text : undefined;
  };
  expect(await bench.read("ann", uri)).toEqual({ uri, mimeType: "text/plain", text: "😀".repeat(LENGTH / 2) });
  expect(await text("?offset=99998")).toBe("😀");
  expect(await text("?offset=99997")).toBe("😀😀");
  expect(await text("?offset=1&limit=3")).toBe("😀");
  expect(await text("?limit=0")).toBe("😀");
  for (const offset of [LENGTH, LENGTH + 1, 999_999_999_999]) expect(await text(`?offset=${offset}`)).toBe("");
});

test("another agent, a made up id and a URI that is none of ours get one and the same answer: not found", async () => {
  await using bench = await open();
  const uri = await bench.keep("ann");
  expect(await bench.read("ann", `${uri}?limit=2`)).toMatchObject({ text: "😀" });
  const refused = await Promise.all([bench.read("bob", uri), bench.read("bob", `toolyard://results/${"0".repeat(26)}`)]);
  const [ofAnn, ofNobody] = refused.map((error) => (isJsonObject(error) ? [error.code, error.message] : []));
  expect(ofAnn).toEqual(ofNobody);
  expect(ofAnn?.[0]).toBe(-32_602);
  for (const bad of [
    `${uri}?offset=-1`,
    `${uri}?offset=1e3`,
    `${uri}?other=1`,
    `${uri}/..`,
    `${uri}#x`,
    "toolyard://results/",
    "toolyard://x",
  ]) {
    expect([bad, await bench.read("ann", bad)]).toMatchObject([bad, { code: -32_602 }]);
  }
});

test("after its time a kept result is neither listed, completed nor read", async () => {
  await using bench = await open();
  const uri = await bench.keep("ann");
  const { engine } = bench.runtime;
  const client = await connectLegacy(engine, { caller: { agent: "ann", origin: "mcp" } });
  let id = 0;
  const ask = async (method: string, params: object = {}): Promise<unknown> => {
    client.send(legacyMessage(method, params, ++id));
    return (await client.answer(id)).result;
  };
  const template = { ref: { type: "ref/resource", uri: "toolyard://results/{id}" }, argument: { name: "id", value: "" } };
  const seen = async (): Promise<readonly boolean[]> => {
    const answers = [await ask("resources/list"), await ask("completion/complete", template), await bench.read("ann", uri)];
    return answers.map((answer) => JSON.stringify(answer).includes(uri.slice(-26)) && !(isJsonObject(answer) && "code" in answer));
  };
  bench.clock.ms += 3_599_000;
  expect(await seen()).toEqual([true, true, true]);
  bench.clock.ms += 1_000;
  expect(await seen()).toEqual([false, false, false]);
  expect(await bench.read("ann", uri)).toMatchObject({ code: -32_602 });
});

test("the definition of a tool is what the list gives, as of now, and for who may see it", async () => {
  await using bench = await open();
  const { root, engine } = bench.runtime;
  const client = await connectLegacy(engine, { caller: { agent: "ann", origin: "mcp" } });
  client.send(legacyMessage("tools/list"));
  const { result } = await client.answer(1);
  const listed = isJsonObject(result) && Array.isArray(result.tools) ? result.tools : [];
  const definition = async (agent: string): Promise<unknown> => {
    const content = await bench.read(agent, "toolyard://tools/typed");
    return isJsonObject(content) && typeof content.text === "string" ? JSON.parse(content.text) : content;
  };
  expect(await definition("ann")).toEqual(listed.find((tool) => isJsonObject(tool) && tool.name === "typed"));
  expect(await definition("ann")).toMatchObject({ inputSchema: { properties: { a_b: { type: "string" } } } });
  putFiles(root, { "tools.json": { tools: [entry("typed", { description: "Edited." })] } });
  expect(await definition("bob")).toMatchObject({ description: "Edited." });
  putFiles(root, { "tools.json": { tools: [entry("typed", { script: "scripts/none.js" })] } });
  // A list alone gives an editor a moment to put the script where it says.
  await engine.refresh({ kind: "all" });
  expect(await definition("ann")).toMatchObject({
    code: -32_603,
    message: expect.stringMatching(/^The tool "typed" is set aside: .*none\.js.* Mend it and ask again; no restart is needed\.$/),
    data: { uri: "toolyard://tools/typed", problem: { code: "FILE_MISSING" } },
  });
  putFiles(root, { "tools.json": { tools: [entry("typed")] } });
  expect(await definition("ann")).toMatchObject({ name: "typed" });
  expect(await bench.read("stranger", "toolyard://tools/typed")).toMatchObject({ code: -32_602 });
});
