// One text, one reading: where two readers of JSON differ, one of them can be lied to. What both readers here make of the
// texts of json-texts.ts, and that bodies over HTTP and the files of a workspace go through them.
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import { parseJsonBytes } from "../../src/server/json-text.ts";
import { decodeText } from "../../src/workspace/decode-text.ts";
import { parseJsonDocument } from "../../src/workspace/json-document.ts";
import { codeTool, testEngine } from "../support/mcp-engine.ts";
import { modernHeaders, modernMessage, post, startTestHttp } from "../support/mcp-http.ts";
import { entry, makeFolder, openWorkspace, PLAIN_SCRIPT } from "../support/workspace-folder.ts";
import { JSON_TEXTS } from "./json-texts.ts";

const FILES = ["tools.json", "toolyard.json"] as const;

test("the reader of messages takes what RFC 8259 allows and nothing else, as Node's own does", () => {
  const found = JSON_TEXTS.map(({ about, bytes }) => [about, parseJsonBytes(bytes).kind === "value" ? "value" : "refused"]);
  expect(found).toEqual(JSON_TEXTS.map(({ about, wire }) => [about, wire]));
});

test("the reader of files takes comments and trailing commas besides, and nothing else", () => {
  const read = (bytes: Buffer): string => {
    const decoded = decodeText(bytes);
    if (decoded.kind !== "text") return "refused";
    const parsed = parseJsonDocument("tools.json", decoded.text);
    return parsed.ok && parsed.document.faults.length === 0 ? "value" : "refused";
  };
  expect(JSON_TEXTS.map(({ about, bytes }) => [about, read(bytes)])).toEqual(JSON_TEXTS.map(({ about, file }) => [about, file]));
});

test("a body that is no JSON is answered with 400 and the error of JSON-RPC, and the server goes on", async () => {
  await using server = await startTestHttp(testEngine([]), { now: () => 0, limits: manyRequests });
  const statuses = [];
  for (const { about, bytes, wire } of JSON_TEXTS) {
    const response = await post(server.url, bytes.toString("latin1") === "" ? " " : new Uint8Array(bytes), modernHeaders("tools/list"));
    statuses.push([about, response.status, /"code":-32[67]00/.test(await response.text()), wire]);
  }
  // A value that is no message is refused for that; either way 400.
  expect(statuses).toEqual(JSON_TEXTS.map(({ about, wire }) => [about, 400, true, wire]));
});

test.each(FILES)("%s that is no JSON is told as such, and nothing of it counts", async (file) => {
  const good = { "tools.json": { tools: [entry("a")] }, "scripts/a.js": PLAIN_SCRIPT };
  for (const { about, bytes, file: reading } of JSON_TEXTS) {
    const root = makeFolder({ ...good, [file]: new Uint8Array(bytes) });
    const workspace = await openWorkspace(root, { watch: false });
    const { state, problems } = workspace.current();
    const isRefused = problems.some(({ code }) => code === "JSON_SYNTAX" || code === "FILE_UNREADABLE");
    expect([about, isRefused]).toEqual([about, reading === "refused"]);
    if (isRefused) expect([about, state]).toEqual([about, "empty"]);
    await workspace[Symbol.asyncDispose]();
  }
});

test("a key that stands twice in a message counts as one value for all of the server, the last; in a file it is refused", async () => {
  const seen: unknown[] = [];
  const see = codeTool("see", async (_context, args) => {
    seen.push(args);
    return { kind: "value", value: null };
  });
  await using server = await startTestHttp(testEngine([see, codeTool("other", async () => ({ kind: "value", value: "other" }))]));
  const call = JSON.stringify(modernMessage("tools/call", { name: "see", arguments: { a: 1 } }));
  const twice = async (from: string, to: string, name = "see"): Promise<number> => {
    const body = call.replace(from, to);
    expect(body).not.toBe(call);
    const response = await post(server.url, body, modernHeaders("tools/call", name));
    await response.arrayBuffer();
    return response.status;
  };
  expect(await twice('{"a":1}', '{"a":1,"a":2}')).toBe(200);
  expect(seen).toEqual([{ a: 2 }]);
  // The header that names the tool is held against the same value that is called.
  expect(await twice('"name":"see"', '"name":"see","name":"other"', "see")).toBe(400);
  expect(await twice('"name":"see"', '"name":"other","name":"see"', "see")).toBe(200);
  expect(await twice('"method":"tools/call"', '"method":"tools/call","method":"tools/list"')).toBe(400);
  expect(seen.length).toBe(2);
});

function manyRequests() {
  return { ...defaultLimits(), httpRequestBurst: 1_000 };
}
