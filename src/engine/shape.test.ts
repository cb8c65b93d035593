import { expect, test } from "vitest";
import type { ContentBlock } from "../core/content.ts";
import { silentLog } from "../core/log.ts";
import type { Caller, ToolDefinition } from "../core/tool.ts";
import { type Given, type ResultShaping, shapeFailureBlocks, shapeResult } from "./shape.ts";

const caller: Caller = { agent: "default", origin: "mcp" };
const OUTPUT = { type: "object", properties: { n: { type: "integer" } } };
const IMAGE: ContentBlock = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

function shapingOf(maxCharacters: number, extra: Partial<ToolDefinition> = {}): ResultShaping {
  const tool = { name: "probe", description: "", parameters: { type: "object" }, timeoutMs: 1, ...extra };
  return { callId: "id", tool, caller, maxCharacters, results: undefined, hint: "tool", log: silentLog };
}

function shape(given: Given, maxCharacters = 1_000, extra: Partial<ToolDefinition> = {}): ReturnType<typeof shapeResult> {
  return shapeResult(given, shapingOf(maxCharacters, extra));
}

test("an object is structured content and its JSON as text, another value is text only", async () => {
  expect(await shape({ value: { a: 1 } })).toEqual({ kind: "ok", callId: "id", text: '{"a":1}', value: { a: 1 }, structured: { a: 1 } });
  expect(await shape({ value: [1, "x"] })).toEqual({ kind: "ok", callId: "id", text: '[1,"x"]', value: [1, "x"] });
  expect(await shape({ value: "x" })).toEqual({ kind: "ok", callId: "id", text: "x", value: "x" });
  expect(await shape({ value: null })).toEqual({ kind: "ok", callId: "id", text: "null", value: null });
});

test("any value of a tool with an output schema is structured content", async () => {
  expect(await shape({ value: [1] }, 1_000, { output: { type: "array" } })).toMatchObject({ text: "[1]", structured: [1] });
  expect(await shape({ value: null }, 1_000, { output: {} })).toMatchObject({ text: "null", structured: null });
});

test("blocks stand as they are, and a value's text comes before them where none of them is text", async () => {
  const alone = await shape({ blocks: [IMAGE] });
  expect(alone).toEqual({ kind: "ok", callId: "id", text: "", value: "", blocks: [IMAGE] });
  expect(await shape({ blocks: [IMAGE], value: { w: 1 } })).toEqual({
    kind: "ok",
    callId: "id",
    text: '{"w":1}',
    value: { w: 1 },
    structured: { w: 1 },
    blocks: [{ type: "text", text: '{"w":1}' }, IMAGE],
  });
  const caption: ContentBlock = { type: "text", text: "a cat" };
  expect(await shape({ blocks: [caption, IMAGE], value: { w: 1 } })).toMatchObject({
    text: "a cat",
    structured: { w: 1 },
    blocks: [caption, IMAGE],
  });
});

test("text without lone surrogates leaves, in values, keys and structured content", async () => {
  expect(await shape({ value: "a\ud800b" })).toMatchObject({ text: "a\ufffdb" });
  const result = await shape({ value: { "k\udc00": ["\ud83d", "😀"] } });
  expect(result).toMatchObject({ text: '{"k\ufffd":["\ufffd","😀"]}', structured: { "k\ufffd": ["\ufffd", "😀"] } });
});

test("text and structured content count together: an object that fits once is text only, whole, with a line that says so", async () => {
  const value = { pad: "x".repeat(600) };
  const result = await shape({ value });
  expect(result).not.toHaveProperty("structured");
  expect(result.blocks).toHaveLength(2);
  expect(result.blocks?.[0]).toEqual({ type: "text", text: JSON.stringify(value) });
  expect(result.blocks?.[1]).toMatchObject({ text: expect.stringContaining("over the limit of 1000") });
});

test("a text over the limit is cut at a code point, and what goes out with its last line is within the limit", async () => {
  const whole = "😀".repeat(1_000);
  for (const max of [1_000, 1_001]) {
    const { text } = await shape({ value: whole }, max);
    const [, kept = "", left, total] =
      /^(.*)\n\[(\d+) of (\d+) characters left out: .*could not be kept\. Ask for less\.\]$/su.exec(text) ?? [];
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThanOrEqual(max);
    expect(kept.length).toBeGreaterThan(700);
    expect(whole.startsWith(kept)).toBe(true);
    expect([Number(left), Number(total)]).toEqual([2_000 - kept.length, 2_000]);
  }
});

test("of blocks over the limit the first texts stay, the one that does not fit is cut, images stay", async () => {
  const blocks: ContentBlock[] = [
    { type: "text", text: "first" },
    IMAGE,
    { type: "text", text: "y".repeat(2_000) },
    { type: "resource", resource: { uri: "file:///a.txt", text: "later" } },
    IMAGE,
  ];
  const result = await shape({ blocks, value: { n: 1 } });
  expect(result.blocks?.map(({ type }) => type)).toEqual(["text", "image", "text", "image", "text"]);
  expect(result.blocks?.[0]).toEqual(blocks[0]);
  expect(result.blocks?.at(-1)).toMatchObject({ text: expect.stringMatching(/^\[\d+ of 2020 characters left out/) });
  expect(result).not.toHaveProperty("structured");
});

test("a tool with an output schema gets RESULT_TOO_LARGE with size and limit", async () => {
  await expect(shape({ value: { n: 1, pad: "x".repeat(600) } }, 1_000, { output: OUTPUT })).rejects.toMatchObject({
    code: "RESULT_TOO_LARGE",
    data: { characters: 1_232, limit: 1_000 },
  });
});

test("blocks of a failure fit together with its message", async () => {
  const blocks: ContentBlock[] = [IMAGE, { type: "text", text: "z".repeat(900) }];
  expect(await shapeFailureBlocks(blocks, "short", shapingOf(1_000))).toEqual(blocks);
  const cut = await shapeFailureBlocks(blocks, "m".repeat(200), shapingOf(1_000));
  const length = cut.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 200);
  expect(cut[0]).toEqual(IMAGE);
  expect(length).toBeLessThanOrEqual(1_000);
});
