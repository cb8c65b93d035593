import { expect, test } from "vitest";
import { makeHome, openTestRuntime, type TestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";

const script = "async function main() { return g.tool.name; }";

function workspace(names: readonly string[], prefix: string): string {
  return makeWorkspaceFolder(
    names.map((name) => entry(name)),
    { "scripts/a.js": script, "toolyard.json": { prefix } },
  );
}

function listed({ engine }: TestRuntime): readonly string[] {
  return engine
    .list({ agent: "default", origin: "mcp" })
    .filter(({ role }) => role === "tools")
    .map(({ name, status }) => `${name} ${status.kind}`);
}

test("with a prefix clients see prefixed names, and calls by either name reach the tool, also by the form that clients make of it", async () => {
  const runtime = await openTestRuntime(workspace(["docs.find", "weather"], "acme_"), makeHome());
  expect(listed(runtime)).toEqual(["acme_docs.find ready", "acme_weather ready"]);
  for (const name of ["acme_weather", "weather"]) expect(await runtime.run(name)).toMatchObject({ kind: "ok", text: "weather" });
  for (const name of ["acme_docs.find", "docs.find", "acme_docs_find", "docs_find"]) {
    expect(await runtime.run(name)).toMatchObject({ kind: "ok", text: "docs.find" });
  }
  expect(await runtime.run("ExecuteWorkspaceTool", { name: "weather" })).toMatchObject({ kind: "ok", text: "weather" });
  expect(await runtime.run("GetWorkspaceTools", { name: "weather" })).toMatchObject({ structured: { tools: [{ name: "acme_weather" }] } });
  expect(runtime.logged.filter((line) => line.includes("tool.call.done") && line.includes('"tool":"weather"'))).toEqual([]);
});

test("a prefix that is set, changed or taken away is live on the next call", async () => {
  const root = workspace(["weather"], "a_");
  const runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("a_weather")).toMatchObject({ kind: "ok" });
  putFiles(root, { "toolyard.json": { prefix: "b_" } });
  expect(await runtime.run("b_weather")).toMatchObject({ kind: "ok", text: "weather" });
  expect(await runtime.run("a_weather")).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND" });
  putFiles(root, { "toolyard.json": {} });
  await runtime.engine.refresh({ kind: "list" });
  expect(listed(runtime)).toEqual(["weather ready"]);
});

test("an edit of a script is live on the next call by the prefixed name", async () => {
  const root = workspace(["weather"], "a_");
  const runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("a_weather")).toMatchObject({ text: "weather" });
  putFiles(root, { "scripts/a.js": "async function main() { return 2; }" });
  expect(await runtime.run("a_weather")).toMatchObject({ text: "2" });
  putFiles(root, { "scripts/a.js": "async function main( {" });
  expect(await runtime.run("a_weather")).toMatchObject({ kind: "error", code: "TOOL_BROKEN" });
  expect(listed(runtime)).toEqual(["a_weather broken"]);
});

test("a tool that is named as another one is published, or would be published as one of the server's own, is set aside with the reason", async () => {
  const runtime = await openTestRuntime(workspace(["x", "acme_x", "y"], "acme_"), makeHome());
  expect(listed(runtime)).toEqual(["acme_x ready", "acme_y ready", "acme_acme_x broken"]);
  expect(runtime.engine.problems().map(({ code, tool }) => `${code} ${tool}`)).toEqual(["DUPLICATE_NAME acme_x"]);
  expect(await runtime.run("acme_x")).toMatchObject({ kind: "ok", text: "x" });
  const other = await openTestRuntime(workspace(["WorkspaceTools", "fine"], "Get"), makeHome());
  expect(other.engine.problems().map(({ code, tool }) => `${code} ${tool}`)).toEqual(["RESERVED_NAME WorkspaceTools"]);
  const long = await openTestRuntime(workspace(["n".repeat(125)], "acme_"), makeHome());
  expect(long.engine.problems().map(({ code }) => code)).toEqual(["INVALID_VALUE"]);
});
