import { expect, test } from "vitest";
import { outcomeOf } from "../../../test/support/isolate-harness.ts";

const MODES = [
  { mode: "hardened", hardened: true },
  { mode: "plain", hardened: false },
];

test.for(MODES)("$mode: blocks alone, in a list and beside a value end the call with content", async ({ hardened }) => {
  const image = { type: "image", data: { base64: "AQI=" }, mimeType: "image/png" };
  const outcome = (body: string): Promise<unknown> => outcomeOf(body, { hardened });
  expect(await outcome("return g.result.image(new Uint8Array([1, 2]), 'image/png');")).toEqual({
    kind: "content",
    value: { blocks: [image] },
  });
  expect(
    await outcome(`return g.result.content([
      { type: "text", text: "a" },
      g.result.image(new Uint8Array([1, 2]).buffer, "image/png"),
      { ...g.result.audio("AQI=", "audio/wav"), annotations: { audience: ["user"] } },
      g.result.resource("file:///a.txt", "text", "text/plain"),
      g.result.resource("file:///a.bin", new Uint8Array([1, 2])),
      g.result.link("https://a.example/", "a"),
    ], { n: 1n });`),
  ).toEqual({
    kind: "content",
    value: {
      blocks: [
        { type: "text", text: "a" },
        image,
        { type: "audio", data: "AQI=", mimeType: "audio/wav", annotations: { audience: ["user"] } },
        { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "text" } },
        { type: "resource", resource: { uri: "file:///a.bin", blob: { base64: "AQI=" } } },
        { type: "resource_link", uri: "https://a.example/", name: "a" },
      ],
      value: { n: "1" },
    },
  });
  expect(await outcome("return g.result.content([], null);")).toEqual({ kind: "content", value: { blocks: [], value: null } });
});

test.for(MODES)("$mode: a failure may have blocks, returned or thrown", async ({ hardened }) => {
  const failed = { kind: "failed", message: "no luck", value: { blocks: [{ type: "text", text: "why" }] } };
  const fail = "g.result.fail('no luck', [{ type: 'text', text: 'why' }])";
  expect(await outcomeOf(`return ${fail};`, { hardened })).toEqual(failed);
  expect(await outcomeOf(`throw ${fail};`, { hardened })).toEqual(failed);
  expect(await outcomeOf("return g.result.fail('no luck');", { hardened })).toEqual({ kind: "failed", message: "no luck" });
});

test("what is no block, list, text or bytes is a TypeError at the place of the call", async () => {
  const calls = [
    "g.result.content({})",
    "g.result.content('x')",
    "g.result.fail('x', 1)",
    "g.result.image('AQI=')",
    "g.result.image([1, 2], 'image/png')",
    "g.result.audio(null, 'audio/wav')",
    "g.result.resource('', 'x')",
    "g.result.resource('file:///a', 1)",
    "g.result.link('https://a.example/')",
  ];
  for (const call of calls) {
    expect(await outcomeOf(`return ${call};`, { hardened: false }), call).toMatchObject({ kind: "error", name: "TypeError", line: 1 });
  }
});

test("bytes over the limit are RESULT_TOO_LARGE where they are given, and in all blocks together when the call ends", async () => {
  const caps = { mediaBytes: 1_000, resultBytes: 1_000 };
  const place = { kind: "error", code: "RESULT_TOO_LARGE", file: "scripts/a.js", line: 1 };
  expect(await outcomeOf("return g.result.image(new Uint8Array(1_001), 'image/png');", { hardened: true, caps })).toMatchObject(place);
  expect(await outcomeOf("return g.result.image('A'.repeat(1_400), 'image/png');", { hardened: true, caps })).toMatchObject(place);
  expect(await outcomeOf("return g.result.image(new Uint8Array(1_000), 'image/png');", { hardened: true, caps })).toMatchObject({
    kind: "content",
  });
  const many = "const one = g.result.image(new Uint8Array(1_000), 'image/png'); return g.result.content([one, one]);";
  expect(await outcomeOf(many, { hardened: true, caps })).toMatchObject({ kind: "error", code: "RESULT_TOO_LARGE" });
});

test("a mark cannot be made or changed by the script, and belongs to its call", async () => {
  const forged = "return { type: 'image', data: 'AQI=', mimeType: 'image/png' };";
  expect(await outcomeOf(forged, { hardened: true })).toMatchObject({ kind: "value" });
  const changed = "const one = g.result.image('AQI=', 'image/png'); one.data = 'other'; return one;";
  expect(await outcomeOf(changed, { hardened: true })).toMatchObject({ kind: "error", name: "TypeError" });
  const nested = "return { inner: g.result.content([{ type: 'text', text: 'x' }]) };";
  expect(await outcomeOf(nested, { hardened: true })).toMatchObject({
    kind: "error",
    message: "result.inner cannot be read: what g.result.content gives ends the call: return it by itself.",
  });
});

test("blocks whose getter throws end the call with the path; a failure keeps its message", async () => {
  const bad = "[{ get type() { throw new Error('boom'); } }]";
  expect(await outcomeOf(`return g.result.content(${bad});`, { hardened: true })).toMatchObject({ kind: "error", code: "SCRIPT_ERROR" });
  expect(await outcomeOf(`return g.result.fail('no luck', ${bad});`, { hardened: true })).toMatchObject({
    kind: "error",
    message: expect.stringContaining("boom"),
  });
});
