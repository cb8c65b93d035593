import { expect, test } from "vitest";
import { type ChangingSource, changingSource, codeTool, testEngine } from "../../test/support/mcp-engine.ts";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder, putFiles } from "../../test/support/workspace-folder.ts";
import type { JsonObject } from "../core/json.ts";
import type { Caller, CallResult, Tool } from "../core/tool.ts";
import { openTrust } from "../policy/trust-store.ts";
import { workspaceIdentity } from "../workspace/workspace-identity.ts";
import type { Engine } from "./engine.ts";

const caller: Caller = { agent: "default", origin: "mcp", client: "one" };

function textParameter(name: string): JsonObject {
  return { type: "object", properties: { [name]: { type: "string" } }, required: [name] };
}

function find(name: string, parameters: JsonObject = textParameter("text"), description = "Finds things."): Tool {
  return codeTool(name, async () => ({ kind: "value", value: "found" }), { parameters, description });
}

interface Harness {
  readonly source: ChangingSource;
  readonly engine: Engine;
  call(name: string, args?: object, from?: Caller): Promise<CallResult>;
}

/** An engine whose caller was given the list of these tools. */
function told(tools: readonly Tool[]): Harness {
  const source = changingSource(tools);
  const engine = testEngine(source);
  engine.list(caller);
  return {
    source,
    engine,
    call: (name, args = {}, from = caller) => engine.call(from, { name, args, signal: new AbortController().signal }),
  };
}

function messageOf(result: CallResult): string {
  return result.kind === "error" ? result.message : "";
}

test("a tool that was renamed is named with its new name and what it takes", async () => {
  const { source, call } = told([find("find-things"), find("other", textParameter("x"))]);
  source.replace([find("search"), find("other", textParameter("x"))]);
  const result = await call("find-things", { text: "x" });
  expect(result).toMatchObject({
    kind: "error",
    code: "TOOL_NOT_FOUND",
    data: { nearest: "search", parameters: textParameter("text") },
  });
  expect(messageOf(result)).toBe(
    'find-things was renamed since this client listed the tools: it is search now. Its parameters are: {"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}',
  );
});

test("a tool that was removed is said to be, with the nearest name where there is one, and no other tool is taken for it", async () => {
  const { source, call } = told([find("find-things"), find("old")]);
  source.replace([find("find-thing", textParameter("query"))]);
  const result = await call("find-things");
  expect(result).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND", data: { nearest: "find-thing" } });
  expect(messageOf(result)).toBe(
    'find-things was removed or renamed since this client listed the tools. There is no tool "find-things" here. Did you mean "find-thing"?',
  );
  expect(messageOf(await call("old"))).toBe(
    'old was removed or renamed since this client listed the tools. There is no tool "old" here. GetWorkspaceTools lists what there is.',
  );
  // Two new ones that look like the old one: neither is surely it.
  source.replace([find("search-a"), find("search-b")]);
  expect(messageOf(await call("find-things"))).not.toContain("search-");
});

test("a call by another name that never was listed is answered as an unknown tool, and so is one of a client that never listed", async () => {
  const { source, call } = told([find("find-things")]);
  source.replace([]);
  const unknown = 'There is no tool "NAME" here. GetWorkspaceTools lists what there is.';
  expect(messageOf(await call("never"))).toBe(unknown.replace("NAME", "never"));
  const other = await call("find-things", {}, { ...caller, client: "another" });
  expect(messageOf(other)).toBe(unknown.replace("NAME", "find-things"));
});

test("arguments that fitted the list the client has, and no longer fit, are answered with what the tool takes now", async () => {
  const { source, engine, call } = told([find("find-things")]);
  const now = { type: "object", properties: { "sort by": { enum: ["name"] } }, required: ["sort by"], additionalProperties: false };
  source.replace([find("find-things", now)]);
  const result = await call("find-things", { text: "x" });
  expect(result).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  // In the form that clients get: the key has the name they know.
  expect(messageOf(result)).toContain(
    '\nfind-things was changed since this client listed the tools. Its parameters are now: {"type":"object"',
  );
  expect(messageOf(result)).toContain('"sort_by":{');
  // Whoever fits is served; and after a new list a wrong call is only that.
  expect(await call("find-things", { sort_by: "name" })).toMatchObject({ kind: "ok" });
  engine.list(caller);
  expect(messageOf(await call("find-things", { text: "x" }))).not.toContain("was changed");
});

test("arguments that never fitted say nothing of a change where only the script or the description is another one", async () => {
  const { source, call } = told([find("find-things")]);
  source.replace([find("find-things", textParameter("text"), "Finds more things.")]);
  const result = await call("find-things", { text: 5 });
  expect(result).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  expect(messageOf(result)).not.toContain("was changed");
});

test("a new schema that is very long is cut in the message, which says how to get it whole", async () => {
  const { source, call } = told([find("find-things")]);
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, { type: "string", enum: ["a", "b"] }]));
  source.replace([find("find-things", { type: "object", properties, required: ["key0"] })]);
  const message = messageOf(await call("find-things", { text: "x" }));
  expect(message).toContain("was changed");
  expect(message).toMatch(/… GetWorkspaceTools with the tool's name gives them whole\.$/);
});

test("through ExecuteWorkspaceTool a stale call is explained in the same words", async () => {
  const { source, call } = told([find("find-things")]);
  source.replace([find("search")]);
  const result = await call("ExecuteWorkspaceTool", { name: "find-things", arguments: { text: "x" } });
  expect(result).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND", data: { nearest: "search" } });
  expect(messageOf(result)).toContain("find-things was renamed since this client listed the tools");
});

test("a tool that is broken since says where and how, and what became of its last working version", async () => {
  const root = makeWorkspaceFolder([entry("find-things"), entry("other")], { "scripts/b.js": "function main() {}\n" });
  const { engine, run } = await openTestRuntime(root, makeHome());
  engine.list(caller);
  putFiles(root, {
    "tools.json": { tools: [entry("find-things", { script: "scripts/broken.js" }), entry("other", { script: "scripts/b.js" })] },
  });
  putFiles(root, { "scripts/broken.js": "function main() { return 1 +; }\n" });
  const result = await run("find-things");
  expect(result).toMatchObject({ kind: "error", code: "TOOL_BROKEN", data: { problem: { file: "scripts/broken.js", line: 1 } } });
  expect(messageOf(result)).toContain("find-things is set aside: ");
  expect(messageOf(result)).toMatch(/Its last working version was replaced \d+ s ago\. Fix it and call again; no restart is needed\.$/);
});

test("a tool of the server's own that does not find what it was asked for is not said to be removed", async () => {
  const { call } = told([find("find-things")]);
  for (const [name, args] of [
    ["GetWorkspaceTools", { name: "none" }],
    ["ExecuteWorkspaceTool", { name: "none" }],
    ["ExecuteWorkspaceTool", { name: "ReloadWorkspaceTools" }],
  ] as const) {
    const result = await call(name, args);
    expect(result).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND" });
    expect(messageOf(result)).not.toMatch(/removed|renamed/);
  }
});

test("a tool that was set aside when its client listed was never shown, and is not said to be removed", async () => {
  const root = makeWorkspaceFolder([entry("good"), entry("lost", { script: "scripts/none.js" })]);
  const { engine } = await openTestRuntime(root, makeHome());
  engine.list(caller);
  putFiles(root, { "tools.json": { tools: [entry("good")] } });
  const result = await engine.call(caller, { name: "lost", args: {}, signal: new AbortController().signal });
  expect(messageOf(result)).toBe('There is no tool "lost" here. GetWorkspaceTools lists what there is.');
});

test("callers that are not told apart have no list: what one was given says nothing about the other", async () => {
  const { source, engine, call } = told([find("find-things")]);
  const nobody: Caller = { agent: "default", origin: "mcp" };
  engine.list(nobody);
  source.replace([]);
  expect(messageOf(await call("find-things", {}, nobody))).toBe(
    'There is no tool "find-things" here. GetWorkspaceTools lists what there is.',
  );
});

test("an agent that is no longer defined is told that, and not that tools were removed", async () => {
  const root = makeWorkspaceFolder([entry("one")], { "toolyard.json": { agents: [{ agentId: "default" }] } });
  const home = makeHome();
  const { engine } = await openTestRuntime(root, home);
  engine.list(caller);
  const call = (name: string): Promise<CallResult> => engine.call(caller, { name, args: {}, signal: new AbortController().signal });
  expect(await call("one")).toMatchObject({ kind: "ok" });
  putFiles(root, { "toolyard.json": { agents: [{ agentId: "other" }] } });
  for (const name of ["one", "none"]) {
    expect(await call(name)).toMatchObject({ code: "DENIED", message: expect.stringContaining("toolyard.json does not define it") });
  }
  putFiles(root, { "toolyard.json": "{ agents: [" });
  // What it said last stays in service.
  await engine.refresh({ kind: "all" });
  expect(await call("one")).toMatchObject({ code: "DENIED", message: expect.stringContaining("toolyard.json does not define it") });
});

test("a toolyard.json that is broken at the start of a workspace that had agents denies every name, and mended it is in force at once", async () => {
  const root = makeWorkspaceFolder([entry("one")], { "toolyard.json": "{ agents: [" });
  const home = makeHome();
  await openTrust(home, workspaceIdentity(root)).recordAgents();
  const { engine } = await openTestRuntime(root, home);
  const call = (name: string): Promise<CallResult> => engine.call(caller, { name, args: {}, signal: new AbortController().signal });
  for (const name of ["one", "none"]) {
    expect(await call(name)).toMatchObject({ code: "DENIED", message: expect.stringContaining("toolyard.json cannot be read") });
  }
  putFiles(root, { "toolyard.json": { agents: [{ agentId: "default" }] } });
  expect(await call("one")).toMatchObject({ kind: "ok" });
});
