import { expect, test } from "vitest";
import { type ChangingSource, changingSource, codeTool, testEngine } from "../../test/support/mcp-engine.ts";
import { reloadUnderCalls } from "../../test/support/reload-under-calls.ts";
import type { JsonValue } from "../core/json.ts";
import type { Caller, Tool, ToolDefinition } from "../core/tool.ts";
import type { Engine } from "./engine.ts";

const caller: Caller = { agent: "default", origin: "mcp", client: "one" };

function tool(name: string, more: Partial<ToolDefinition> = {}): Tool {
  return codeTool(name, async () => ({ kind: "value", value: 1 }), { version: `${name} 1`, ...more });
}

interface Harness {
  readonly source: ChangingSource;
  readonly engine: Engine;
  /** What ReloadWorkspaceTools answers. */
  reload(from?: Caller): Promise<JsonValue>;
}

function start(tools: readonly Tool[]): Harness {
  const source = changingSource(tools);
  const engine = testEngine(source);
  const reload: Harness["reload"] = async (from = caller) => {
    const result = await engine.call(from, { name: "ReloadWorkspaceTools", args: {}, signal: new AbortController().signal });
    return result.kind === "ok" ? result.value : null;
  };
  return { source, engine, reload };
}

test("a client that keeps its first list is told which changes it does not have, at each reload anew, and what to do", async () => {
  const { source, engine, reload } = start([tool("one"), tool("two"), tool("three")]);
  engine.list(caller);
  expect(await reload()).not.toHaveProperty("clientList");
  source.replace([tool("one", { description: "Other.", version: "one 2" }), tool("three"), tool("four")]);
  const clientList = {
    isCurrent: false,
    added: ["four"],
    removed: ["two"],
    changed: ["one"],
    note: expect.stringContaining("ExecuteWorkspaceTool"),
  };
  expect(await reload()).toMatchObject({ added: ["four"], removed: ["two"], changed: ["one"], clientList });
  // The report is against the last one, the client's list is still the first.
  expect(await reload()).toMatchObject({ added: [], removed: [], changed: [], clientList });
  source.replace([tool("one"), tool("two"), tool("three")]);
  expect(await reload()).not.toHaveProperty("clientList");
});

test("a client that asked for the list again after a change is taken to do so by itself", async () => {
  const { source, engine, reload } = start([tool("one")]);
  engine.list(caller);
  engine.list(caller);
  source.replace([tool("one"), tool("two")]);
  expect(await reload()).toHaveProperty("clientList.added", ["two"]);
  engine.list(caller);
  source.replace([tool("one"), tool("two"), tool("three")]);
  expect(await reload()).not.toHaveProperty("clientList");
});

test("another script behind a tool is a change to report, but none that the client's list lacks", async () => {
  const { source, engine, reload } = start([tool("one")]);
  engine.list(caller);
  source.replace([tool("one", { version: "one 2", timeoutMs: 5 })]);
  const report = await reload();
  expect(report).toMatchObject({ changed: ["one"] });
  expect(report).not.toHaveProperty("clientList");
});

test("each client has a list of its own, and one that never asked for any is told nothing of it", async () => {
  const { source, engine, reload } = start([tool("one")]);
  const [first, second] = [
    { ...caller, client: "first" },
    { ...caller, client: "second" },
  ];
  engine.list(first);
  source.replace([tool("one"), tool("two")]);
  engine.list(second);
  expect(await reload(first)).toHaveProperty("clientList.added", ["two"]);
  expect(await reload(second)).not.toHaveProperty("clientList");
  expect(await reload(caller)).not.toHaveProperty("clientList");
});

test("in 25 saves under calls every call works, no list has fewer tools, and the call after each save runs on it", async () => {
  let state = 0;
  // Each style in turn, and the tools as well.
  const next = (): number => (state++ % 10) / 10;
  const figures = await reloadUnderCalls(25, 10, next);
  expect(figures).toMatchObject({ live: 25, failed: 0, fewest: 10 });
  expect(Math.min(figures.calls, figures.lists)).toBeGreaterThan(10);
});
