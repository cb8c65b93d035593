import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ContentBlock } from "../core/content.ts";
import { blockLines, resultData, resultLines, saveBlocks } from "./result-view.ts";

const BLOCKS: readonly ContentBlock[] = [
  { type: "text", text: "a" },
  { type: "image", data: "AAEC", mimeType: "image/png" },
  { type: "audio", data: "AAE=", mimeType: "audio/wav" },
  { type: "resource_link", uri: "https://a.example/", name: "x" },
  { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "t" } },
  { type: "resource", resource: { uri: "file:///a.bin", blob: "AA==" } },
];

test("each block is a line that says what it is, and a text is the text", () => {
  expect(blockLines(BLOCKS)).toEqual([
    "a",
    "[image: image/png, 3 bytes]",
    "[audio: audio/wav, 2 bytes]",
    "[link: x, https://a.example/]",
    "[file: file:///a.txt, text/plain]\nt",
    "[file: file:///a.bin, 1 bytes]",
  ]);
});

test("a value without blocks is itself or JSON, and machines get all of it", () => {
  const result = { kind: "ok", callId: "id", text: '{"a":1}', value: { a: 1 }, structured: { a: 1 } } as const;
  expect(resultLines(result)).toEqual(['{\n  "a": 1\n}']);
  expect(resultLines({ ...result, value: "plain" })).toEqual(["plain"]);
  expect(resultData(result)).toEqual({ text: '{"a":1}', value: { a: 1 }, structured: { a: 1 } });
  expect(resultData({ ...result, blocks: BLOCKS })).toMatchObject({ content: BLOCKS });
});

test("bytes are written to new files, numbered from the second on, and never over one that is there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "save-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await saveBlocks(BLOCKS, join(folder, "shot.png"));
  expect(readdirSync(folder).sort()).toEqual(["shot-2.png", "shot-3.png", "shot-4.png", "shot.png"]);
  expect([...readFileSync(join(folder, "shot.png"))]).toEqual([0, 1, 2]);
  await expect(saveBlocks(BLOCKS, join(folder, "shot.png"))).rejects.toThrow(/it is there already/);
  await expect(saveBlocks([{ type: "text", text: "a" }], join(folder, "x"))).rejects.toThrow(/no image, sound or file/);
});
