import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  codes,
  entry,
  makeFolder,
  makeWorkspaceFolder,
  openWorkspace,
  PLAIN_SCRIPT,
  putFiles,
} from "../../test/support/workspace-folder.ts";

const list = { kind: "list" } as const;

test("of ten tools of which three are broken in different ways seven work and three are explained with line and column", async () => {
  const good = ["a", "b", "c", "d", "e", "f", "g"].map((name) => entry(name));
  const root = makeWorkspaceFolder(
    [
      ...good.slice(0, 4),
      entry("schema", { parameters: { type: "object", properties: { days: { type: "int" } } } }),
      entry("syntax", { script: "scripts/syntax.js" }),
      ...good.slice(4),
      entry("missing", { script: "scripts/missing.js" }),
    ],
    { "scripts/syntax.js": "async function main() {\n  return [1].map((x) => );\n}\n" },
  );
  const workspace = await openWorkspace(root, { watch: false });
  const { tools, broken, state } = workspace.current();
  expect(tools.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(state).toBe("ok");
  expect(broken.map(({ name, problem }) => [name, ...codes([problem]), problem.message])).toEqual([
    ["schema", "SCHEMA_INVALID tools.json:31:21", '"parameters.properties.days.type" is "int"; JSON Schema has "integer".'],
    ["syntax", "SYNTAX scripts/syntax.js:2:25", "Unexpected token ')'."],
    ["missing", "FILE_MISSING tools.json:59:17", "scripts/missing.js is not there."],
  ]);
  expect(broken.map(({ replacedAtMs }) => replacedAtMs)).toEqual([undefined, undefined, undefined]);
});

test.each<[string, Uint8Array]>([
  [
    "a byte order mark",
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify({ tools: [entry("ä")] }).replace("ä", "a"))]),
  ],
  [
    "line ends of Windows",
    Buffer.from('{\r\n  "tools": [\r\n    { "name": "a", "description": "x",\r\n "script": "scripts/a.js" },\r\n  ],\r\n}\r\n'),
  ],
  [
    "a comment and a trailing comma",
    Buffer.from('{ // mine\n "tools": [{"name": "a", "description": "x", "script": "scripts/a.js",},], }'),
  ],
])("a file with %s loads", async (_name, bytes) => {
  const workspace = await openWorkspace(makeFolder({ "tools.json": bytes, "scripts/a.js": PLAIN_SCRIPT }), { watch: false });
  expect([workspace.current().tools.map(({ name }) => name), workspace.current().problems]).toEqual([["a"], []]);
});

test("text outside ASCII is read as UTF-8", async () => {
  const root = makeWorkspaceFolder([entry("a", { description: "Größe – 大小 🎉" })]);
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().tools[0]?.description).toBe("Größe – 大小 🎉");
});

test.each<[string, Record<string, unknown>, readonly string[], string]>([
  ["no tools.json", {}, ["FILE_MISSING tools.json"], "empty"],
  ["a tools.json that does not parse", { "tools.json": '{"tools": [\n}' }, ["JSON_SYNTAX tools.json:2:1"], "empty"],
  ["a tools.json in UTF-16", { "tools.json": Buffer.from("\ufeff{}", "utf16le") }, ["FILE_UNREADABLE tools.json"], "empty"],
  ["a tools.json that is not UTF-8", { "tools.json": Buffer.from([0x7b, 0xff]) }, ["FILE_UNREADABLE tools.json"], "empty"],
  ["a tools.json of over 16 MiB", { "tools.json": " ".repeat(16 * 1_024 * 1_024 + 1) }, ["FILE_TOO_LARGE tools.json"], "empty"],
  ["a broken toolyard.json", { "tools.json": { tools: [] }, "toolyard.json": "{" }, ["JSON_SYNTAX toolyard.json:1:2"], "empty"],
])("%s gives an empty set and the problem, not an error", async (_name, files, problems, state) => {
  const workspace = await openWorkspace(makeFolder(files), { watch: false });
  expect([codes(workspace.current().problems), workspace.current().state, workspace.current().tools]).toEqual([problems, state, []]);
});

test("a tools.json that is a folder, or may not be read, is told", async () => {
  const root = makeFolder();
  mkdirSync(join(root, "tools.json"));
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().problems.map(({ code, message }) => [code, message])).toEqual([
    ["FILE_UNREADABLE", "tools.json is not a regular file."],
  ]);
  rmSync(join(root, "tools.json"), { recursive: true });
  putFiles(root, { "tools.json": "{}" });
  chmodSync(join(root, "tools.json"), 0);
  await workspace.refresh({ kind: "all" });
  // The superuser may read everything; then the file is only empty.
  expect(codes(workspace.current().problems)).toEqual([
    process.getuid?.() === 0 ? "MISSING_KEY tools.json:1:1" : "FILE_UNREADABLE tools.json",
  ]);
});

test("a broken toolyard.json at start keeps every tool from running, since what it narrows is not known", async () => {
  const root = makeWorkspaceFolder([entry("a")], { "toolyard.json": '{"network": {"enabled": false}' });
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().tools).toEqual([]);
  putFiles(root, { "toolyard.json": { network: { enabled: false } } });
  await workspace.refresh(list);
  expect([workspace.current().tools.length, workspace.current().settings.network.enabled, workspace.current().state]).toEqual([
    1,
    false,
    "ok",
  ]);
});

test("what was hashed is what runs", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const workspace = await openWorkspace(root, { watch: false });
  const script = workspace.current().tools[0]?.script;
  expect(script?.sha256).toBe(
    createHash("sha256")
      .update(readFileSync(join(root, "scripts/a.js")))
      .digest("hex"),
  );
  expect(script?.source).toBe(PLAIN_SCRIPT);
});

test("an edit of tools.json, a script or the settings is live on the next call", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const workspace = await openWorkspace(root, { watch: false });
  putFiles(root, { "scripts/a.js": "async function main() {\n  return 2;\n}\n" });
  await workspace.refresh({ kind: "tool", name: "a" });
  expect([workspace.current().tools[0]?.script.source, workspace.current().generation]).toEqual([
    "async function main() {\n  return 2;\n}\n",
    2,
  ]);
  putFiles(root, { "tools.json": { tools: [entry("a"), entry("b")] } });
  await workspace.refresh({ kind: "tool", name: "b" });
  expect([workspace.current().tools.length, workspace.current().generation]).toEqual([2, 3]);
  putFiles(root, { "toolyard.json": { agents: [{ agentId: "x" }] } });
  await workspace.refresh(list);
  expect([workspace.current().settings.agents, workspace.current().generation]).toEqual([["x"], 4]);
});

test("a script that was missing or broken works on the next call after it is mended", async () => {
  const root = makeWorkspaceFolder([entry("a", { script: "scripts/new.js" }), entry("b", { script: "scripts/bad.js" })], {
    "scripts/bad.js": "function main( {",
  });
  const workspace = await openWorkspace(root, { watch: false });
  expect(workspace.current().tools).toEqual([]);
  putFiles(root, { "scripts/new.js": PLAIN_SCRIPT });
  await workspace.refresh({ kind: "tool", name: "a" });
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["a"]);
  putFiles(root, { "scripts/bad.js": PLAIN_SCRIPT });
  await workspace.refresh(list);
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("files that are written again with the same content are no new generation, and no new tools", async () => {
  const files = { "tools.json": { tools: [entry("a")] }, "scripts/a.js": PLAIN_SCRIPT, "toolyard.json": "{}" };
  const root = makeFolder(files);
  const workspace = await openWorkspace(root, { watch: false });
  const before = workspace.current();
  putFiles(root, files);
  await workspace.refresh({ kind: "all" });
  expect(workspace.current()).toBe(before);
});

test("an unchanged tool stays the same object when others change, and shares its parts when it only moves", async () => {
  const root = makeWorkspaceFolder([entry("a", { parameters: { type: "object" } }), entry("b")]);
  const workspace = await openWorkspace(root, { watch: false });
  const [before] = workspace.current().tools;
  putFiles(root, { "tools.json": { tools: [entry("a", { parameters: { type: "object" } }), entry("b", { title: "B" })] } });
  await workspace.refresh(list);
  expect(workspace.current().tools[0]).toBe(before);
  putFiles(root, { "tools.json": { tools: [entry("c"), entry("a", { parameters: { type: "object" } })] } });
  await workspace.refresh(list);
  const moved = workspace.current().tools[1];
  expect(moved).not.toBe(before);
  expect([moved?.key, moved?.place]).toEqual([
    before?.key,
    { kind: "position", file: "tools.json", line: 8, column: 5, sourceLine: "    {" },
  ]);
  expect(moved?.parameters).toBe(before?.parameters);
  expect(moved?.script).toBe(before?.script);
});

test("every part of an entry that decides a call changes the tool's key, its place does not", async () => {
  const variants = [
    {},
    { title: "t" },
    { description: "other" },
    { parameters: { type: "object", properties: { a: {} } } },
    { output: true },
    { timeout: 3 },
    { headers: { a: "b" } },
    { headers: { a: { value: "b", replaceExisting: false } } },
    { allowedHosts: [] },
    { config: { a: 1 } },
    { limits: { memoryMb: 32 } },
    { isolation: "call" },
    { annotations: { readOnlyHint: true } },
    { script: "scripts/b.js" },
  ];
  const root = makeWorkspaceFolder([], { "scripts/b.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root, { watch: false });
  const keys = new Set<string | undefined>();
  for (const variant of variants) {
    putFiles(root, { "tools.json": { tools: [entry("a", variant)] } });
    await workspace.refresh(list);
    keys.add(workspace.current().tools[0]?.key);
  }
  expect(keys.size).toBe(variants.length);
  putFiles(root, { "tools.json": `\n\n${JSON.stringify({ tools: [entry("a", variants.at(-1))] })}` });
  await workspace.refresh(list);
  expect(keys.has(workspace.current().tools[0]?.key)).toBe(true);
});

test("a broken tools.json keeps the last good set with the problem, and its scripts stay live", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const workspace = await openWorkspace(root, { watch: false });
  putFiles(root, { "tools.json": '{"tools": [' });
  await workspace.refresh(list);
  // Half-written files are common for a moment, so nothing is told yet.
  expect([workspace.current().state, workspace.current().generation]).toEqual(["ok", 1]);
  await workspace.reload();
  expect([workspace.current().state, workspace.current().tools.length, codes(workspace.current().problems)]).toEqual([
    "last-good",
    1,
    ["JSON_SYNTAX tools.json:1:12"],
  ]);
  putFiles(root, { "scripts/a.js": "function main() { return 3; }" });
  await workspace.refresh({ kind: "tool", name: "a" });
  expect(workspace.current().tools[0]?.script.source).toBe("function main() { return 3; }");
  putFiles(root, { "tools.json": { tools: [entry("a")] } });
  await workspace.refresh(list);
  expect([workspace.current().state, workspace.current().problems]).toEqual(["ok", []]);
});

test("a tool whose script breaks is set aside only after that lasted, with the moment its last working version went", async () => {
  const root = makeWorkspaceFolder([entry("a"), entry("b", { script: "scripts/b.js" })], { "scripts/b.js": PLAIN_SCRIPT });
  const workspace = await openWorkspace(root, { watch: false, now: () => 1_234 });
  putFiles(root, { "scripts/a.js": "function main( {" });
  // A call of the tool waits the moment out; whoever looks meanwhile still sees it.
  const call = workspace.refresh({ kind: "tool", name: "a" });
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["a", "b"]);
  await call;
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["b"]);
  expect(workspace.current().broken.map(({ name, problem, replacedAtMs }) => [name, problem.code, replacedAtMs])).toEqual([
    ["a", "SYNTAX", 1_234],
  ]);
  // Another broken edit does not forget when it last worked.
  putFiles(root, { "scripts/a.js": "function main) {" });
  await workspace.reload();
  expect(workspace.current().broken[0]?.replacedAtMs).toBe(1_234);
});

test("a tool that is taken out of tools.json is gone at once", async () => {
  const root = makeWorkspaceFolder([entry("a"), entry("b")]);
  const workspace = await openWorkspace(root, { watch: false });
  putFiles(root, { "tools.json": { tools: [entry("b")] } });
  await workspace.refresh({ kind: "tool", name: "a" });
  expect(workspace.current().tools.map(({ name }) => name)).toEqual(["b"]);
});

test("a toolyard.json that is replaced keeps its settings meanwhile, and one that is deleted loses them", async () => {
  const root = makeWorkspaceFolder([entry("a")], { "toolyard.json": { network: { enabled: false } } });
  const workspace = await openWorkspace(root, { watch: false });
  rmSync(join(root, "toolyard.json"));
  await workspace.refresh(list);
  expect(workspace.current().settings.network.enabled).toBe(false);
  await workspace.reload();
  expect([workspace.current().settings.network.enabled, workspace.current().state]).toEqual([true, "ok"]);
});

test("a listener that throws keeps neither the others nor the change from arriving", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const workspace = await openWorkspace(root, { watch: false });
  const told: number[] = [];
  workspace.onChange(() => {
    throw new Error("listener");
  });
  const stop = workspace.onChange(() => told.push(workspace.current().generation));
  putFiles(root, { "tools.json": { tools: [] } });
  await workspace.refresh(list);
  stop();
  putFiles(root, { "tools.json": { tools: [entry("a")] } });
  await workspace.refresh(list);
  expect([told, workspace.current().generation]).toEqual([[2], 3]);
});

test("a snapshot that was handed out never changes", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const workspace = await openWorkspace(root, { watch: false });
  const before = workspace.current();
  const copy = structuredClone(before);
  putFiles(root, { "tools.json": { tools: [] }, "scripts/a.js": "bad" });
  await workspace.reload();
  expect(before).toEqual(copy);
});
