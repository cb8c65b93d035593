// Results that are kept because they were too long: they hold no secret, and nobody reads another agent's.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Caller, CallResult } from "../../src/core/tool.ts";
import { ResultStore } from "../../src/results/result-store.ts";
import { makeHome, openTestRuntime, storeSecret } from "../support/runtime.ts";
import { makeFolder } from "../support/workspace-folder.ts";
import { serve } from "./egress-support.ts";

const CANARY = "sk-live-canary-7f3e9a1c";

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Paths of files that hold the text. */
function filesWith(folders: readonly string[], text: string): readonly string[] {
  return folders.flatMap(filesIn).filter((path) => readFileSync(path, "latin1").includes(text));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function idOf(result: CallResult): string {
  const text = result.kind === "ok" ? result.text : result.message;
  return /"id":"([0-9a-v]{26})"/.exec(text)?.[1] ?? "";
}

const LONG = { "scripts/long.js": "function main() { return (g.agent.id + ' ').repeat(20_000); }" };

function longFolder(agents: readonly string[] = []): string {
  return makeFolder({
    "tools.json": { tools: [{ name: "long", description: "Long", script: "scripts/long.js" }] },
    ...LONG,
    ...(agents.length === 0 ? {} : { "toolyard.json": { agents: agents.map((agentId) => ({ agentId })) } }),
  });
}

test("a secret that a script put together is in no kept file, though it is in the text that a script returned", async () => {
  // The server splits it, so that no guard sees it before the script has put it together.
  const api = await serve((request, response) => {
    const key = String(request.headers["x-api-key"]);
    response.end(JSON.stringify([key.slice(0, 9), key.slice(9)]));
  });
  const host = `http://127.0.0.1:${api.port}`;
  const tools = ["long", "typed", "blocks"].map((name) => ({
    name,
    description: name,
    script: `scripts/${name}.js`,
    headers: { "X-Api-Key": "{{API_KEY}}" },
    ...(name === "typed" ? { output: { type: "object" } } : {}),
  }));
  const key = `const key = JSON.parse((await g.http.makeHttpRequest("${host}/")).body).join("");`;
  const text = 'const text = ("x".repeat(90) + key + "\\n").repeat(1_000);';
  const root = makeFolder({
    "tools.json": { tools },
    "scripts/long.js": `async function main() { ${key} ${text} return text; }`,
    "scripts/typed.js": `async function main() { ${key} ${text} return { text, [key]: key }; }`,
    "scripts/blocks.js": `async function main() { ${key} ${text} return g.result.content([{ type: "text", text }, { type: "resource", resource: { uri: "file:///" + key, text } }], { text }); }`,
  });
  const home = makeHome();
  await storeSecret({ root, home }, "API_KEY", CANARY, { hosts: [host] });
  const runtime = await openTestRuntime(root, home);
  const results = [await runtime.run("long"), await runtime.run("typed"), await runtime.run("blocks")];
  expect(results.map((result) => (result.kind === "ok" ? "ok" : result.code))).toEqual(["ok", "RESULT_TOO_LARGE", "ok"]);
  expect(filesWith([root], "[redacted]")).toHaveLength(3);
  expect(filesWith([root, home], CANARY)).toEqual([]);
  expect(JSON.stringify([results, runtime.logged])).not.toContain(CANARY);
  // What the search above would find if it were kept as the script gave it.
  const folder = temporaryFolder();
  using store = new ResultStore({ folders: () => [folder], limits: defaultLimits, log: silentLog });
  await store.keep("default", { tool: "long", mimeType: "text/plain", text: `a ${CANARY} b` });
  expect(filesWith([folder], CANARY)).toHaveLength(1);
});

test("an agent cannot read what was kept for another one, and is told the same as for an id that never was", async () => {
  const runtime = await openTestRuntime(longFolder(["ann", "bob"]), makeHome());
  const call = (agent: string, name: string, args: object = {}): Promise<CallResult> =>
    runtime.engine.call({ agent, origin: "mcp" }, { name, args, signal: new AbortController().signal });
  const id = idOf(await call("ann", "long"));
  // The agent whose call it was reads it: the id is right, and only who asks makes the difference.
  expect(await call("ann", "ReadWorkspaceResult", { id, limit: 4 })).toMatchObject({ kind: "ok", blocks: [{ text: "ann " }, {}] });
  const answers = [];
  for (const wanted of [id, "0".repeat(26), `../../${id}`, "", "toolyard://results/x"]) {
    const result = await call("bob", "ReadWorkspaceResult", { id: wanted });
    expect(result).toMatchObject({ kind: "error", code: "RESULT_NOT_FOUND" });
    answers.push(result.kind === "error" ? result.message : "");
  }
  expect(new Set(answers).size).toBe(1);
  const bob: Caller = { agent: "bob", origin: "mcp" };
  await expect(runtime.engine.readResult(bob, id)).rejects.toMatchObject({ code: "RESULT_NOT_FOUND" });
  expect(await runtime.engine.listResults(bob)).toEqual([]);
  expect(await call("bob", "ReadWorkspaceResult", { id: `x/${id}` })).not.toMatchObject({ kind: "ok" });
});

test("ids are of 128 random bits and are in no log", async () => {
  const runtime = await openTestRuntime(longFolder(), makeHome());
  const ids = [];
  for (let count = 0; count < 3; count++) ids.push(idOf(await runtime.run("long")));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-v]{26}$/);
    expect(runtime.logged.join("\n")).not.toContain(id);
  }
});

test("a link in the place of the folder is not followed: nothing is written, listed or removed where it points", async () => {
  const outside = temporaryFolder();
  const agentFolder = join(outside, "3".repeat(32));
  mkdirSync(agentFolder);
  const victim = join(agentFolder, `1-${"0".repeat(26)}.txt`);
  writeFileSync(victim, "an old file of somebody else");
  const root = longFolder();
  mkdirSync(join(root, ".toolyard"), { mode: 0o700 });
  symlinkSync(outside, join(root, ".toolyard", "results"));
  // What a writer that follows links would do.
  writeFileSync(join(root, ".toolyard", "results", "through"), "x");
  expect(readdirSync(outside)).toContain("through");
  rmSync(join(outside, "through"));
  const home = makeHome();
  const runtime = await openTestRuntime(root, home);
  const id = idOf(await runtime.run("long"));
  expect(filesIn(outside)).toEqual([victim]);
  // Kept in toolyard's own folder instead, and still there for its agent.
  expect(await runtime.run("ReadWorkspaceResult", { id })).toMatchObject({ kind: "ok" });
  expect(filesIn(home).some((path) => path.endsWith(`-${id}.txt`))).toBe(true);
});

test("a link in the place of a kept file gives nothing of the file it points to", async () => {
  const folder = temporaryFolder();
  const secret = join(folder, "secret");
  writeFileSync(secret, `{"version":1,"tool":"x","mimeType":"text/plain","characters":1}\n${CANARY}`, { mode: 0o600 });
  const results = join(folder, "results");
  using store = new ResultStore({ folders: () => [results], limits: defaultLimits, log: silentLog });
  await store.keep("ann", { tool: "probe", mimeType: "text/plain", text: "x" });
  const [file = ""] = filesIn(results);
  const id = "1".repeat(26);
  symlinkSync(secret, file.replace(/-[0-9a-v]{26}\.txt$/, `-${id}.txt`));
  // Node itself follows it.
  expect(readFileSync(file.replace(/-[0-9a-v]{26}\.txt$/, `-${id}.txt`), "utf8")).toContain(CANARY);
  await expect(store.read("ann", id)).rejects.toMatchObject({ code: "RESULT_NOT_FOUND" });
  expect(JSON.stringify(await store.list("ann"))).not.toContain(id);
});

test("a folder that came with a clone and is open to others is closed before anything is kept in it", async () => {
  const root = longFolder();
  const folder = join(root, ".toolyard", "results");
  mkdirSync(folder, { recursive: true, mode: 0o777 });
  const runtime = await openTestRuntime(root, makeHome());
  const id = idOf(await runtime.run("long"));
  expect(statSync(folder).mode & 0o077).toBe(0);
  const file = filesIn(folder).find((path) => path.endsWith(`-${id}.txt`)) ?? "";
  expect(statSync(file).mode & 0o077).toBe(0);
});

test("a restarted server finds what is kept until its hour is over, and removes it then", async () => {
  const root = longFolder();
  const home = makeHome();
  const clock = { ms: 1_800_000_000_000 };
  const now = (): number => clock.ms;
  const first = await openTestRuntime(root, home, { now });
  const id = idOf(await first.run("long"));
  await first[Symbol.asyncDispose]();
  clock.ms += 3_599_000;
  const second = await openTestRuntime(root, home, { now });
  expect(await second.run("ReadWorkspaceResult", { id, limit: 8 })).toMatchObject({
    kind: "ok",
    text: expect.stringContaining("default "),
  });
  clock.ms += 1_000;
  expect(await second.run("ReadWorkspaceResult", { id })).toMatchObject({ kind: "error", code: "RESULT_NOT_FOUND" });
  expect(filesIn(root).some((path) => path.includes(id))).toBe(true);
  await openTestRuntime(root, home, { now });
  expect(filesIn(root).some((path) => path.includes(id))).toBe(false);
});

test("a folder that is only looked at gets no identity; one whose result is kept does", async () => {
  const root = longFolder();
  const runtime = await openTestRuntime(root, makeHome());
  await runtime.run("ReadWorkspaceResult", { id: "0".repeat(26) });
  expect(readdirSync(root)).not.toContain(".toolyard");
  await runtime.run("long");
  expect(readdirSync(join(root, ".toolyard")).sort()).toEqual([".gitignore", "id", "results"]);
});
