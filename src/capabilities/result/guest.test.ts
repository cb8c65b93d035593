import { expect, test } from "vitest";
import { outcomeOf, runOnce } from "../../../test/support/isolate-harness.ts";

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

test("a list of texts and blocks is content in its order; with anything else in it, or without a block of g.result, it is a value", async () => {
  const image = { type: "image", data: { base64: "AQI=" }, mimeType: "image/png" };
  const make = "g.result.image(new Uint8Array([1, 2]), 'image/png')";
  const note = { type: "text", text: "note" };
  expect(
    await outcomeOf(`return ["before", ${make}, { type: "text", text: "note" }, { ...${make} }, "after"];`, { hardened: true }),
  ).toEqual({
    kind: "content",
    value: { blocks: [{ type: "text", text: "before" }, image, note, image, { type: "text", text: "after" }] },
  });
  expect(await outcomeOf(`return ["before", ${make}, { rows: 1 }];`, { hardened: true })).toEqual({
    kind: "value",
    value: ["before", image, { rows: 1 }],
  });
  expect(await outcomeOf(`void ${make}; return ["a", { type: "text", text: "note" }];`, { hardened: true })).toEqual({
    kind: "value",
    value: ["a", note],
  });
});

test("a failure that was not returned ends a call that returns nothing, and is told in the log of one that returns something", async () => {
  const run = (body: string): ReturnType<typeof runOnce> => runOnce(`async function main() {\n${body} }`, { hardened: true });
  const line = (text: string, at: readonly number[]): unknown => [{ name: "log.write", params: { level: "warn", text, at } }];
  const forgotten = await run("g.result.fail('no luck');");
  expect(forgotten.outcome).toEqual({ kind: "failed", message: "no luck" });
  const called = 'g.result.fail was called without "return". The call ends with it, as main() returned nothing.';
  expect(forgotten.notices).toEqual(line(`${called} Write "return g.result.fail(…)".`, [2, 10]));
  const overruled = await run("g.result.fail('no luck'); return 1;");
  expect(overruled.outcome).toEqual({ kind: "value", value: 1 });
  expect(overruled.notices).toEqual(
    line('What g.result.fail gave was not returned, so it has no effect. Write "return g.result.fail(…)".', [2, 10]),
  );
  const content = await run("g.result.content([{ type: 'text', text: 'x' }]);");
  expect(content).toMatchObject({
    outcome: { kind: "content", value: { blocks: [{ type: "text", text: "x" }] } },
    notices: [{ name: "log.write" }],
  });
  const returned = await run("const bad = g.result.fail('a'); g.result.content([]); return bad;");
  expect(returned).toMatchObject({ outcome: { kind: "failed", message: "a" }, notices: [] });
});
