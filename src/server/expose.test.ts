// What the server's own tools say by how much of them a client is shown, and of keys they do not know.
import { expect, test } from "vitest";
import { changingSource, codeTool, echo, pick, testEngine } from "../../test/support/mcp-engine.ts";
import { legacyMessage, modernMessage } from "../../test/support/mcp-http.ts";
import { connectLegacy, connectPiped, type PipedMcp } from "../../test/support/mcp-pipe.ts";
import { isJsonObject } from "../core/json.ts";

async function call(client: PipedMcp, name: string, args: object, id: number): Promise<unknown> {
  client.send(legacyMessage("tools/call", { name, arguments: args }, id));
  return (await client.answer(id)).result;
}

test("where only workspace tools can be called by name no text advises ExecuteWorkspaceTool, and elsewhere it is what is advised", async () => {
  for (const [expose, isAdvised] of [
    ["direct", false],
    ["both", true],
    ["meta", true],
  ] as const) {
    const source = changingSource([echo]);
    const client = await connectLegacy(testEngine(source), { expose });
    client.send(legacyMessage("tools/list", {}, 1));
    const listed = await client.answer(1);
    source.replace([echo, codeTool("grown", async () => ({ kind: "value", value: 1 }))]);
    const reloaded = await call(client, "ReloadWorkspaceTools", {}, 2);
    expect(reloaded).toMatchObject({ structuredContent: { clientList: { added: ["grown"] } } });
    const texts = [listed, reloaded, (await client.answer(0)).result].map((text) => JSON.stringify(text));
    expect([expose, texts.map((text) => text.includes("ExecuteWorkspaceTool"))]).toEqual([expose, [isAdvised, isAdvised, isAdvised]]);
    expect(texts.slice(0, 2).every((text) => text.includes("by its own name"))).toBe(!isAdvised);
  }
});

test("keys that the server's own tools do not know are told in their answers, with the key that is meant", async () => {
  const client = await connectLegacy(testEngine([echo, pick]));
  expect(await call(client, "GetWorkspaceTools", { toolName: "echo" }, 1)).toMatchObject({
    structuredContent: { note: 'GetWorkspaceTools ignored "toolName" (did you mean "name"?); it takes name.', tools: { length: 2 } },
  });
  expect(await call(client, "ReloadWorkspaceTools", { names: ["echo"] }, 2)).toMatchObject({
    structuredContent: { note: 'ReloadWorkspaceTools ignored "names"; it takes no arguments.' },
  });
  const ignored = 'ExecuteWorkspaceTool ignored "argument" (did you mean "arguments"?); it takes name and arguments.';
  expect(await call(client, "ExecuteWorkspaceTool", { name: "echo", arguments: { text: "x" }, argument: 1 }, 3)).toEqual({
    content: [
      { type: "text", text: '{"text":"x"}' },
      { type: "text", text: `[${ignored}]` },
    ],
    structuredContent: { text: "x" },
  });
  expect(await call(client, "ExecuteWorkspaceTool", { name: "echo", argument: { text: "x" } }, 4)).toMatchObject({
    isError: true,
    content: [{ text: `Arguments of echo do not fit:\n- text: missing; expected a string\n${ignored}` }],
  });
  expect(await call(client, "ExecuteWorkspaceTool", { toolName: "echo", arguments: { text: "x" } }, 5)).toMatchObject({
    isError: true,
    content: [
      {
        text: 'Arguments of ExecuteWorkspaceTool do not fit:\n- name: missing; expected a string\nNot among its parameters: "toolName" (did you mean "name"?).',
      },
    ],
  });
  expect(await call(client, "ReadWorkspaceResult", { id: "a", limt: 1 }, 6)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('did you mean "limit"?') }],
  });
});

test("results that are no object are wrapped for 2025 clients of a tool with an output schema, listed or not, and text alone without one", async () => {
  const values = { array: [1, "a"], string: "x", number: 5, null: null, boolean: true, object: { a: 1 } };
  const typed = Object.entries(values).map(([type, value]) => codeTool(type, async () => ({ kind: "value", value }), { output: { type } }));
  const plain = Object.entries(values).map(([name, value]) => codeTool(`plain-${name}`, async () => ({ kind: "value", value })));
  const engine = testEngine([...typed, ...plain]);
  const [unlisted, listed, modern] = [await connectLegacy(engine), await connectLegacy(engine), connectPiped(engine)];
  listed.send(legacyMessage("tools/list", {}, 99));
  await listed.answer(99);
  for (const [index, [name, value]] of Object.entries(values).entries()) {
    const wrapped = isJsonObject(value) ? value : { result: value };
    for (const client of [unlisted, listed]) {
      const structured = async (tool: string, args: object, id: number): Promise<unknown> => {
        const result = await call(client, tool, args, id);
        return isJsonObject(result) ? [result.structuredContent, result.content] : undefined;
      };
      const content = [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }];
      expect(await structured(name, {}, 10 + index)).toEqual([wrapped, content]);
      expect(await structured("ExecuteWorkspaceTool", { name }, 20 + index)).toEqual([wrapped, content]);
      expect(await structured(`plain-${name}`, {}, 30 + index)).toEqual([isJsonObject(value) ? value : undefined, content]);
    }
    modern.send(modernMessage("tools/call", { name, arguments: {} }, index));
    expect((await modern.answer(index)).result).toHaveProperty("structuredContent", value);
  }
});
