import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import { decodeBase64, parseContentBlocks } from "./content-blocks.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");
const WAV = Buffer.from("RIFF\x24\0\0\0WAVEfmt ", "latin1").toString("base64");

function parse(...blocks: readonly JsonValue[]): ReturnType<typeof parseContentBlocks> {
  return parseContentBlocks(blocks, { tool: "probe", mediaBytes: 100 });
}

test("blocks of every kind come out as clients take them", () => {
  expect(
    parse(
      { type: "text", text: "a", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", data: { base64: PNG }, mimeType: "image/x-png" },
      { type: "audio", data: WAV.replace(/=+$/, ""), mimeType: "audio/wave" },
      { type: "resource_link", uri: "https://a.example/x", name: "x", description: "an x", size: 3 },
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "t" } },
      { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "AAEC" } },
      { type: "resource", resource: { uri: "file:///a.png", mimeType: "image/png", blob: { base64: PNG } } },
    ),
  ).toEqual([
    { type: "text", text: "a", annotations: { audience: ["user"], priority: 0.5 } },
    { type: "image", data: PNG, mimeType: "image/png" },
    { type: "audio", data: WAV, mimeType: "audio/wav" },
    { type: "resource_link", uri: "https://a.example/x", name: "x", description: "an x", size: 3 },
    { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "t" } },
    { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "AAEC" } },
    { type: "resource", resource: { uri: "file:///a.png", mimeType: "image/png", blob: PNG } },
  ]);
});

test.each<[string, JsonValue, RegExp]>([
  ["no object", "text", /content\[1\]: /],
  ["an unknown kind", { type: "video", data: PNG }, /content\[1\]\.type: is not "text"/],
  ["no text", { type: "text" }, /content\[1\]\.text: /],
  ["an unknown key", { type: "text", text: "a", colour: 1 }, /content\[1\]: Unrecognized key: "colour"/],
  ["an image that is text", { type: "image", data: "<html>", mimeType: "image/png" }, /content\[1\]\.data is not base64/],
  ["a data URL", { type: "image", data: `data:image/png;base64,${PNG}`, mimeType: "image/png" }, /without "data:"/],
  [
    "bytes of another type",
    { type: "image", data: WAV, mimeType: "image/png" },
    /content\[1\] says image\/png, but its bytes are audio\/wav/,
  ],
  ["a sound as image", { type: "image", data: WAV, mimeType: "audio/wav" }, /image block whose "mimeType" is not one of image\//],
  ["an image without bytes", { type: "image", data: "", mimeType: "image/png" }, /content\[1\] has no bytes/],
  ["a link without a scheme", { type: "resource_link", uri: "x/y", name: "x" }, /content\[1\]\.uri: not a URI/],
  [
    "a file of a wrong type",
    { type: "resource", resource: { uri: "file:///a", mimeType: "image/png", blob: WAV } },
    /resource says image\/png/,
  ],
  [
    "a file with text and bytes",
    { type: "resource", resource: { uri: "file:///a", text: "a", blob: "AA==" } },
    /content\[1\]\.resource: not/,
  ],
  ["an audience nobody has", { type: "text", text: "a", annotations: { audience: ["all"] } }, /annotations\.audience\[0\]/],
])("a block with %s is SCRIPT_ERROR and says which and why", (_, block, message) => {
  expect(() => parse({ type: "text", text: "first" }, block)).toThrow(
    expect.objectContaining({ code: "SCRIPT_ERROR", message: expect.stringMatching(message) }),
  );
});

test("the bytes of all blocks together have a limit with a name", () => {
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  expect(parse(image, image, image, image, image, image)).toHaveLength(6);
  expect(() => parse(image, image, image, image, image, image, image)).toThrow(
    expect.objectContaining({ code: "RESULT_TOO_LARGE", message: expect.stringContaining('"mediaBytes"'), data: { limit: 100 } }),
  );
});

test("more blocks than a client can be asked to show are refused", () => {
  expect(() => parse(...Array.from({ length: 1_001 }, () => ({ type: "text", text: "" })))).toThrow(
    expect.objectContaining({ code: "SCRIPT_ERROR" }),
  );
});

test("base64 is taken with and without padding, other text is not", () => {
  expect(decodeBase64("aGk=")?.toString()).toBe("hi");
  expect(decodeBase64("aGk")?.toString()).toBe("hi");
  for (const text of ["a b", "aG-k", "=", "a===", "é"]) expect(decodeBase64(text) === undefined || text === "=", text).toBe(true);
});
