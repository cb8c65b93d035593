import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { createRedactor } from "../egress/redactor.ts";
import { readScriptContent } from "./script-content.ts";

const SECRET = "canary-0123456789";
const PNG_HEAD = "\x89PNG\r\n\x1a\n";
const options = { tool: "probe", limits: defaultLimits(), redactor: createRedactor([SECRET]) };

function pngOf(text: string): string {
  return Buffer.from(`${PNG_HEAD}${text}`, "latin1").toString("base64");
}

test("a secret in the texts of blocks is masked, wherever it stands", () => {
  const blocks = readScriptContent(
    [
      { type: "text", text: `a ${SECRET} b` },
      { type: "resource_link", uri: `https://a.example/?k=${SECRET}`, name: SECRET, description: SECRET },
      { type: "resource", resource: { uri: "file:///a.txt", text: SECRET } },
    ],
    options,
  );
  expect(JSON.stringify(blocks)).not.toContain(SECRET);
  expect(blocks[0]).toEqual({ type: "text", text: "a [redacted] b" });
});

test("an image, a sound and a file that hold a secret are left out with a text in their place, others stay as they are", () => {
  const wav = Buffer.from(`RIFF\x24\0\0\0WAVEfmt ${SECRET}`, "latin1").toString("base64");
  const clean = { type: "image", data: pngOf("clean"), mimeType: "image/png" };
  const blocks = readScriptContent(
    [
      clean,
      { type: "image", data: { base64: pngOf(`tEXt${SECRET}`) }, mimeType: "image/png" },
      { type: "audio", data: wav, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a.bin", blob: Buffer.from(`x${SECRET.toUpperCase()}`).toString("base64") } },
      // Spelled by the base64 text itself.
      { type: "resource", resource: { uri: "file:///b.bin", blob: "canaryA0123456789AAA" } },
    ],
    { ...options, redactor: createRedactor([SECRET, "canaryA0123456789AAA"]) },
  );
  expect(blocks[0]).toEqual(clean);
  expect(blocks.slice(1).map(({ type }) => type)).toEqual(["text", "text", "text", "text"]);
  expect(blocks[3]).toEqual({ type: "text", text: "[The file file:///a.bin is left out: it holds a secret that this call sent.]" });
});

test("text beside the bytes is under the limit of a result, bytes are not", () => {
  const limits = { resultBytes: 200, mediaBytes: 10_000 };
  const image = { type: "image", data: pngOf("x".repeat(5_000)), mimeType: "image/png" };
  expect(readScriptContent([image], { ...options, limits })).toHaveLength(1);
  expect(() => readScriptContent([image, { type: "text", text: "x".repeat(200) }], { ...options, limits })).toThrow(
    expect.objectContaining({ code: "RESULT_TOO_LARGE", message: expect.stringContaining('"resultBytes"') }),
  );
});

test("lone surrogates in blocks become U+FFFD", () => {
  expect(readScriptContent([{ type: "text", text: "a\ud800" }], options)).toEqual([{ type: "text", text: "a\ufffd" }]);
});
