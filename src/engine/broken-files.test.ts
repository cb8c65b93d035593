// What somebody who edits the workspace sees of a mistake, through the tools of the server itself.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeHome, openTestRuntime, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../../test/support/workspace-folder.ts";
import type { JsonValue } from "../core/json.ts";

const BROKEN_TEXT = '{ "tools": [ }';
const NOTE = 'The workspace cannot be read as it is now; what it said last stays in service. tools.json:1:14 Expected a value; found "}".';

async function contentOf(runtime: TestRuntime, name: string, args: object = {}): Promise<JsonValue> {
  const result = await runtime.run(name, args);
  if (result.kind === "error") throw new Error(result.message);
  return result.value;
}

test("while tools.json is broken the list and the reload say so first, calls give exactly their result, and the log says it once", async () => {
  const root = makeWorkspaceFolder([entry("a")]);
  const runtime = await openTestRuntime(root, makeHome());
  const before = await runtime.run("a");
  expect(await contentOf(runtime, "GetWorkspaceTools")).not.toHaveProperty("note");
  expect(await contentOf(runtime, "ReloadWorkspaceTools")).not.toHaveProperty("note");
  writeFileSync(join(root, "tools.json"), BROKEN_TEXT);
  expect(await contentOf(runtime, "ReloadWorkspaceTools")).toMatchObject({ note: NOTE, changed: [], broken: [] });
  expect(await contentOf(runtime, "GetWorkspaceTools")).toMatchObject({ note: NOTE, tools: [{ name: "a", status: "ready" }] });
  expect(await contentOf(runtime, "GetWorkspaceTools", { name: "a" })).toMatchObject({ note: NOTE, tools: [{ name: "a" }] });
  const { callId: _before, ...exact } = before;
  for (let count = 0; count < 3; count++) expect(await runtime.run("a")).toMatchObject(exact);
  expect(runtime.logged.filter((line) => line.includes("JSON_SYNTAX"))).toHaveLength(1);
  expect(runtime.engine.unreadable({ agent: "default", origin: "mcp" })).toMatchObject({ code: "JSON_SYNTAX" });
});

test("a tool that is set aside has no time limit in the list, and one that works has its own", async () => {
  const root = makeWorkspaceFolder([entry("works", { timeout: 7 }), entry("broken", { timeout: 7, script: "none.js" })]);
  const runtime = await openTestRuntime(root, makeHome());
  const listed = await contentOf(runtime, "GetWorkspaceTools");
  expect(listed).toMatchObject({
    tools: [
      { name: "works", timeout: 7 },
      { name: "broken", status: "broken" },
    ],
  });
  expect(JSON.stringify(listed).match(/"timeout"/g)).toHaveLength(1);
});

test("arguments that a tool of the server does not know are ignored with a warning, by all three alike", async () => {
  const runtime = await openTestRuntime(makeWorkspaceFolder([entry("a")]), makeHome());
  await contentOf(runtime, "GetWorkspaceTools", { nmae: "a" });
  await contentOf(runtime, "ReloadWorkspaceTools", { force: true });
  await contentOf(runtime, "ExecuteWorkspaceTool", { name: "a", parameters: {}, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, timeout: 3 });
  await contentOf(runtime, "GetWorkspaceTools", { name: "a" });
  expect(runtime.lines).toEqual([
    { level: "warn", text: 'GetWorkspaceTools ignored "nmae" (did you mean "name"?); it takes name.' },
    { level: "warn", text: 'ReloadWorkspaceTools ignored "force"; it takes no arguments.' },
    { level: "warn", text: 'ExecuteWorkspaceTool ignored "1", "2", "3", "4", "5" and 1 more; it takes name and arguments.' },
  ]);
});

test("who may not use the workspace learns nothing of its broken tools and files", async () => {
  const root = makeWorkspaceFolder([entry("hidden-tool", { script: "none.js" })], { "toolyard.json": { agents: [{ agentId: "ann" }] } });
  const runtime = await openTestRuntime(root, makeHome());
  const stranger = { agent: "stranger", origin: "mcp" } as const;
  const call = async (name: string): Promise<string> =>
    JSON.stringify(await runtime.engine.call(stranger, { name, args: {}, signal: new AbortController().signal }));
  writeFileSync(join(root, "tools.json"), BROKEN_TEXT);
  for (const name of ["ReloadWorkspaceTools", "GetWorkspaceTools"]) expect(await call(name)).not.toMatch(/hidden-tool|tools\.json/);
  expect(runtime.engine.unreadable(stranger)).toBeUndefined();
  expect(runtime.engine.problems(stranger)).toEqual([]);
  expect(runtime.engine.problems()).toHaveLength(2);
});
