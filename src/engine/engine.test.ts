import { expect, test } from "vitest";
import { ToolError } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import type { Caller, Tool, ToolSet, ToolSource } from "../core/tool.ts";
import { metaTools } from "../tools/index.ts";
import { createCodeSource } from "./code-source.ts";
import { createEngine, type Engine } from "./engine.ts";
import type { CallRecord } from "./record.ts";

const caller: Caller = { agent: "default", origin: "mcp" };

const add: Tool = {
  definition: {
    name: "add",
    description: "Adds two numbers",
    parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    timeoutMs: 1_000,
  },
  status: () => ({ kind: "ready" }),
  call: async (context, { a, b }) => {
    context.log({ level: "info", text: "adding" });
    return { kind: "value", value: { sum: Number(a) + Number(b) } };
  },
};

interface Harness {
  readonly engine: Engine;
  readonly records: CallRecord[];
  call(name: string, args?: unknown): ReturnType<Engine["call"]>;
}

function engineWith(tools: readonly Tool[], options: { readonly agents?: readonly string[] } = {}): Harness {
  const records: CallRecord[] = [];
  const engine = createEngine({
    sources: [createCodeSource("meta", "meta", metaTools), createCodeSource("code", "tools", tools)],
    policy: () => ({ agents: options.agents ?? [], hadAgents: false }),
    log: silentLog,
    record: (record) => records.push(record),
  });
  return { engine, records, call: (name, args) => engine.call(caller, { name, args, signal: new AbortController().signal }) };
}

function tool(name: string, call: Tool["call"], extra: Partial<Tool["definition"]> = {}): Tool {
  return {
    definition: { name, description: name, parameters: { type: "object" }, timeoutMs: 1_000, ...extra },
    status: () => ({ kind: "ready" }),
    call,
  };
}

test("a tool registered in code is listed, validated, called and logged like any other", async () => {
  const { engine, records, call } = engineWith([add]);
  expect(engine.list(caller).map((entry) => [entry.name, entry.role])).toEqual([
    ["GetWorkspaceTools", "meta"],
    ["ExecuteWorkspaceTool", "meta"],
    ["ReloadWorkspaceTools", "meta"],
    ["ReadWorkspaceResult", "meta"],
    ["add", "tools"],
  ]);
  expect(await call("add", { a: 1, b: 2 })).toMatchObject({ kind: "ok", text: '{"sum":3}', structured: { sum: 3 } });
  const refused = await call("add", { a: "x", b: 2 });
  expect(refused).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  expect(records.map((record) => [record.tool, record.outcome, record.origin])).toEqual([
    ["add", "ok", "mcp"],
    ["add", "INVALID_ARGUMENTS", "mcp"],
  ]);
});

test("missing and null arguments count as none", async () => {
  const { call } = engineWith([tool("none", async (_, args) => ({ kind: "value", value: args }))]);
  expect(await call("none")).toMatchObject({ kind: "ok", text: "{}" });
  expect(await call("none", null)).toMatchObject({ kind: "ok", text: "{}" });
  expect(await call("none", [])).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
});

test("ExecuteWorkspaceTool gives the tool's own result and takes parameters, JSON text and unknown keys", async () => {
  const { call, records } = engineWith([add]);
  for (const args of [
    { arguments: { a: 1, b: 2 } },
    { parameters: { a: 1, b: 2 } },
    { arguments: '{"a":1,"b":2}' },
    { arguments: { a: 1, b: 2 }, why: 1 },
  ]) {
    expect(await call("ExecuteWorkspaceTool", { name: "add", ...args })).toMatchObject({ kind: "ok", structured: { sum: 3 } });
  }
  expect(records.map((record) => record.tool)).toEqual(["add", "add", "add", "add"]);
  expect(await call("ExecuteWorkspaceTool", { name: "add", arguments: "not json" })).toMatchObject({
    kind: "error",
    code: "INVALID_ARGUMENTS",
  });
  expect(await call("ExecuteWorkspaceTool", { name: "ExecuteWorkspaceTool", arguments: {} })).toMatchObject({
    kind: "error",
    code: "TOOL_NOT_FOUND",
  });
});

test("an unknown name names the nearest tool, and constructor is no tool", async () => {
  const { call } = engineWith([add]);
  expect(await call("ad")).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND", data: { nearest: "add" } });
  expect(await call("constructor")).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND" });
  expect(await call("__proto__")).toMatchObject({ kind: "error", code: "TOOL_NOT_FOUND" });
  // Half of a surrogate pair, which some clients refuse the whole answer for.
  expect(await call("ech\ud800")).toMatchObject({ message: expect.stringContaining('"ech\ufffd"') });
});

test("an agent that is not defined sees no workspace tool, and whatever it calls is denied in the same words, with its name and what to do", async () => {
  const { engine, call } = engineWith([add], { agents: ["sales"] });
  expect(engine.list(caller).map((entry) => entry.name)).toEqual([
    "GetWorkspaceTools",
    "ExecuteWorkspaceTool",
    "ReloadWorkspaceTools",
    "ReadWorkspaceResult",
  ]);
  for (const name of ["add", "ad", "odd", "GetWorkspaceTools", "ExecuteWorkspaceTool", "ReadWorkspaceResult"]) {
    const { callId: _, ...denied } = await call(name, { a: 1, b: 2 });
    expect(denied, name).toEqual({
      kind: "error",
      code: "DENIED",
      message:
        'The agent "default" may use no tool of this workspace: toolyard.json does not define it. A person adds it there under "agents", or gives this client the name or token of an agent that is there.',
      data: { agent: "default" },
    });
  }
});

test("a tool that throws something else tells the caller the call id and the operator the reason", async () => {
  const { call, records } = engineWith([
    tool("odd", async () => {
      throw new TypeError("/srv/private is missing");
    }),
    tool("known", async () => ({ kind: "error", error: new ToolError("BUSY", "later") })),
  ]);
  const result = await call("odd");
  expect(result).toMatchObject({ kind: "error", code: "UNAVAILABLE" });
  expect(JSON.stringify(result)).not.toContain("private");
  expect(records[0]?.reason).toBe("/srv/private is missing");
  expect(await call("known")).toMatchObject({ kind: "error", code: "BUSY", message: "later" });
});

test("lone surrogates never leave the engine", async () => {
  const { call } = engineWith([tool("odd", async () => ({ kind: "value", value: "a\ud800b" }))]);
  expect(await call("odd")).toMatchObject({ kind: "ok", text: "a\ufffdb" });
});

test("a reload names what was added, removed and changed since the caller was last given a list", async () => {
  const client: Caller = { ...caller, client: "one" };
  const source = changeableSource([add]);
  const engine = createEngine({
    sources: [createCodeSource("meta", "meta", metaTools), source],
    policy: () => ({ agents: [], hadAgents: false }),
    log: silentLog,
  });
  engine.list(client);
  const other = tool("other", async () => ({ kind: "value", value: 1 }));
  source.set([other]);
  expect(await engine.reload(client)).toMatchObject({ added: ["other"], removed: ["add"], changed: [], broken: [] });
  source.set([{ ...other, definition: { ...other.definition, version: "2" } }]);
  expect(await engine.reload(client)).toMatchObject({ added: [], removed: [], changed: ["other"] });
});

function changeableSource(first: readonly Tool[]): ToolSource & { set(tools: readonly Tool[]): void } {
  let current: ToolSet = { generation: 1, tools: first, broken: [], problems: [] };
  return {
    name: "changeable",
    role: "tools",
    current: () => current,
    refresh: async () => undefined,
    onChange: () => () => undefined,
    set: (tools) => {
      current = { ...current, generation: current.generation + 1, tools };
    },
  };
}
