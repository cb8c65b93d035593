// Results of scripts through a real sandbox and real clients.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLIENT_KINDS, connectClient } from "../../test/support/mcp-clients.ts";
import { startTestHttp, TEST_TOKEN } from "../../test/support/mcp-http.ts";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { makeFolder, putFiles } from "../../test/support/workspace-folder.ts";
import type { Caller } from "../core/tool.ts";

const LONG = `function main() {
  const line = "0123456789".repeat(20) + " é😀 \\"quoted\\" \\\\ \\n";
  return line.repeat(Math.ceil(g.tool.args.characters / line.length)).slice(0, g.tool.args.characters).toWellFormed();
}`;
const LINE = `${"0123456789".repeat(20)} é😀 "quoted" \\ \n`;
const OBJECT = "function main() { return { pad: 'x'.repeat(g.tool.args.characters) }; }";
const IMAGE = `function main() {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  const kind = g.tool.args.kind;
  if (kind === "wrong") return g.result.image(png, "image/jpeg");
  if (kind === "fail") return g.result.fail("no luck", [g.result.image(png, "image/png")]);
  if (kind === "large") return g.result.image(new Uint8Array(3 * 1024 * 1024).fill(7), "image/unknown");
  if (kind === "value") return g.result.content([g.result.image(png, "image/png")], { width: 1 });
  return g.result.image(png, "image/png");
}`;
const PNG = "iVBORw0KGgoAAAAN";

function folderOf(settings: Readonly<Record<string, unknown>> = {}): string {
  const tool = (name: string, more: object = {}): object => ({ name, description: name, script: `scripts/${name}.js`, ...more });
  return makeFolder({
    "tools.json": {
      tools: [
        tool("long"),
        tool("object"),
        tool("typed", { script: "scripts/object.js", output: { type: "object", properties: { pad: { type: "string" } } } }),
        tool("image"),
        tool("typed-image", { script: "scripts/image.js", output: { type: "object", required: ["width"] } }),
        tool("short", { script: "scripts/long.js", limits: { resultCharacters: 2_000 } }),
        tool("roomy", { script: "scripts/long.js", limits: { resultCharacters: 100_000 } }),
      ],
    },
    "scripts/long.js": LONG,
    "scripts/object.js": OBJECT,
    "scripts/image.js": IMAGE,
    "toolyard.json": settings,
  });
}

function idIn(text: string): string {
  const id = /"id":"([0-9a-v]{26})"/.exec(text)?.[1];
  if (id === undefined) throw new Error(`no id in: ${text.slice(-400)}`);
  return id;
}

test("a result of 1 MB is read back exactly, in pages, through every kind of client", async () => {
  const runtime = await openTestRuntime(folderOf(), makeHome());
  await using server = await closing(startTestHttp(runtime.engine));
  const characters = 1_000_000;
  const whole = LINE.repeat(Math.ceil(characters / LINE.length))
    .slice(0, characters)
    .toWellFormed();
  for (const kind of CLIENT_KINDS) {
    await using client = await connectClient(kind, { kind: "http", url: server.url, token: TEST_TOKEN });
    const first = await client.call("long", { characters });
    expect(first.isError).toBe(false);
    expect(first.text.length).toBeLessThanOrEqual(60_000);
    const cutAt = first.text.lastIndexOf("\n[");
    const id = idIn(first.text);
    let read = first.text.slice(0, cutAt);
    let offset: number | undefined = Number(/"offset":(\d+)/.exec(first.text.slice(cutAt))?.[1]);
    expect(offset).toBe(read.length);
    let pages = 0;
    while (offset !== undefined) {
      const page = await client.call("ReadWorkspaceResult", { id, offset });
      expect(page.text.length).toBeLessThanOrEqual(60_000);
      const lineAt = page.text.lastIndexOf("\n[Characters ");
      read += page.text.slice(0, lineAt);
      const next = /next part begins at offset (\d+)\.\]$/.exec(page.text)?.[1];
      offset = next === undefined ? undefined : Number(next);
      pages++;
    }
    expect(read === whole, kind).toBe(true);
    expect(pages).toBe(16);
  }
});

test("a server that shows only the workspace's tools names the resource instead of the tool it does not show", async () => {
  const runtime = await openTestRuntime(folderOf(), makeHome());
  await using server = await closing(startTestHttp(runtime.engine, { expose: "direct" }));
  await using client = await connectClient("sdk 2.x at 2025-11-25", { kind: "http", url: server.url, token: TEST_TOKEN });
  expect(await client.toolNames()).not.toContain("ReadWorkspaceResult");
  const { text } = await client.call("long", { characters: 70_000 });
  expect(text).toMatch(/Read on with the resource toolyard:\/\/results\/[0-9a-v]{26}\?offset=\d+; the whole is kept for an hour\.\]$/);
  const refused = await client.call("ReadWorkspaceResult", { id: "0".repeat(26) });
  expect(refused).toMatchObject({ isError: true, structured: { error: { code: "TOOL_NOT_FOUND" } } });
  expect(refused.text).toContain("toolyard://results/");
});

test("an object over the limit is text only, one of a tool with an output schema is RESULT_TOO_LARGE with an id to read it by", async () => {
  const runtime = await openTestRuntime(folderOf(), makeHome());
  const object = await runtime.run("object", { characters: 70_000 });
  if (object.kind !== "ok") throw new Error(object.message);
  expect(object).not.toHaveProperty("structured");
  const typed = await runtime.run("typed", { characters: 70_000 });
  if (typed.kind !== "error") throw new Error("no error");
  expect(typed).toMatchObject({ code: "RESULT_TOO_LARGE", data: { characters: 140_020, limit: 60_000 } });
  const caller: Caller = { agent: "default", origin: "mcp" };
  for (const id of [idIn(object.text), String(typed.data.id)]) {
    const kept = await runtime.engine.readResult(caller, id);
    expect(JSON.parse(kept.text)).toEqual({ pad: "x".repeat(70_000) });
    expect(kept).toMatchObject({ mimeType: "application/json", offset: 0 });
    expect(kept).not.toHaveProperty("nextOffset");
  }
  expect((await runtime.engine.listResults(caller)).map(({ tool }) => tool).sort()).toEqual(["object", "typed"]);
  expect(typed.data.uri).toBe(`toolyard://results/${String(typed.data.id)}`);
});

test("the limit is the tool's, lower or higher than the server's, and an agent's where that is smaller", async () => {
  const settings = { agents: [{ agentId: "default" }, { agentId: "small", limits: { resultCharacters: 5_000 } }] };
  const runtime = await openTestRuntime(folderOf(settings), makeHome());
  const lengthFor = async (agent: string, name: string): Promise<number> => {
    const request = { name, args: { characters: 90_000 }, signal: new AbortController().signal };
    const result = await runtime.engine.call({ agent, origin: "mcp" }, request);
    return result.kind === "ok" ? result.text.length : -1;
  };
  const lengths = [];
  for (const agent of ["default", "small"]) for (const name of ["long", "short", "roomy"]) lengths.push(await lengthFor(agent, name));
  const [long = 0, short = 0, roomy, smallLong = 0, smallShort = 0, smallRoomy = 0] = lengths;
  expect(roomy).toBe(90_000);
  for (const [length, limit] of [
    [long, 60_000],
    [short, 2_000],
    [smallLong, 5_000],
    [smallShort, 2_000],
    [smallRoomy, 5_000],
  ] as const) {
    expect(length).toBeLessThanOrEqual(limit);
    expect(length).toBeGreaterThan(limit - 30);
  }
});

test("images come as images, with their value, with a failure, and not under a wrong name", async () => {
  const runtime = await openTestRuntime(folderOf(), makeHome());
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  expect(await runtime.run("image", {})).toMatchObject({ kind: "ok", text: "", blocks: [image] });
  expect(await runtime.run("image", { kind: "value" })).toMatchObject({
    kind: "ok",
    structured: { width: 1 },
    blocks: [{ type: "text", text: '{"width":1}' }, image],
  });
  expect(await runtime.run("image", { kind: "fail" })).toMatchObject({
    kind: "error",
    code: "SCRIPT_ERROR",
    message: 'Tool "image" failed: no luck',
    blocks: [image],
  });
  expect(await runtime.run("image", { kind: "wrong" })).toMatchObject({
    kind: "error",
    code: "SCRIPT_ERROR",
    message: expect.stringContaining("content[0] says image/jpeg, but its bytes are image/png"),
  });
  const large = await runtime.run("image", { kind: "large" });
  expect(large).toMatchObject({ kind: "ok", blocks: [{ type: "image", mimeType: "image/unknown" }] });
  expect(await runtime.run("typed-image", { kind: "value" })).toMatchObject({ kind: "ok", structured: { width: 1 } });
  expect(await runtime.run("typed-image", {})).toMatchObject({ kind: "error", code: "OUTPUT_MISMATCH" });
});

test("where nothing can be kept the call answers, cut, and says so", async () => {
  const root = folderOf();
  const home = makeHome();
  const runtime = await openTestRuntime(root, home);
  const first = await runtime.run("long", { characters: 70_000 });
  if (first.kind !== "ok") throw new Error(first.message);
  idIn(first.text);
  rmSync(join(root, ".toolyard", "results"), { recursive: true });
  putFiles(root, { ".toolyard/results": "a file" });
  putFiles(home, { [`workspaces/${readFileSync(join(root, ".toolyard", "id"), "utf8").trim()}`]: "a file" });
  const result = await runtime.run("long", { characters: 70_000 });
  expect(result).toMatchObject({ kind: "ok", text: expect.stringMatching(/The rest could not be kept\. Ask for less\.\]$/) });
  expect(await runtime.run("typed", { characters: 70_000 })).toMatchObject({
    kind: "error",
    code: "RESULT_TOO_LARGE",
    message: expect.stringMatching(/Ask for less, or let the script return less\.$/),
    data: { characters: 140_020, limit: 60_000 },
  });
  expect(runtime.logged.filter((line) => line.includes("result.notKept"))).toHaveLength(2);
});

async function closing<T extends { readonly url: string; close(): Promise<void> }>(
  started: Promise<T>,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = await started;
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}
