/** An engine with tools in code, for tests of the MCP side. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../../src/core/errors.ts";
import { silentLog } from "../../src/core/log.ts";
import type { CallContext, Tool, ToolDefinition, ToolSet, ToolSource } from "../../src/core/tool.ts";
import { createCodeSource } from "../../src/engine/code-source.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { metaTools } from "../../src/tools/index.ts";

/** A tool in code. */
export function codeTool(name: string, call: Tool["call"], extra: Partial<ToolDefinition> = {}): Tool {
  return {
    definition: { name, description: `Test tool ${name}`, parameters: { type: "object" }, timeoutMs: 30_000, ...extra },
    status: () => ({ kind: "ready" }),
    call,
  };
}

/** Gives its text back. */
export const echo: Tool = codeTool("echo", async (_context, { text }) => ({ kind: "value", value: { text: text ?? null } }), {
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});

/** Has a field deep enough for a path, and an output schema whose root is no object. */
export const pick: Tool = codeTool(
  "pick",
  async (_context, { where }) => {
    if (where === null) throw new ToolError("SCRIPT_ERROR", "pick found nothing");
    return { kind: "value", value: [1, 2, 3] };
  },
  {
    parameters: {
      type: "object",
      properties: { where: { type: ["object", "null"], properties: { column: { enum: ["name", "amount"] } }, required: ["column"] } },
      required: ["where"],
    },
    output: { type: "array", items: { type: "number" } },
  },
);

/** Reports three steps of progress and a line of log. */
export const steps: Tool = codeTool("steps", async (context) => {
  context.log({ level: "info", text: "stepping" });
  for (const done of [1, 2, 2, 3]) context.progress({ done, total: 3, message: `step ${done}` });
  return { kind: "value", value: "done" };
});

/** Runs until it is cancelled; says so by the callbacks. */
export function waitTool({ started, cancelled }: { started(): void; cancelled(): void }): Tool {
  return codeTool("wait", async ({ signal }: CallContext) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    started();
    await promise;
    cancelled();
    throw new ToolError("CANCELLED", "The call was cancelled.");
  });
}

/** Takes as many milliseconds as it is told. */
export const slow: Tool = codeTool("slow", async ({ signal }, { ms }) => {
  await delay(Number(ms), undefined, { signal }).catch(() => {
    throw new ToolError("CANCELLED", "The call was cancelled.");
  });
  return { kind: "value", value: { waitedMs: ms ?? null } };
});

/** Prints to stdout, as a dependency might. */
export const noisy: Tool = codeTool("noisy", async () => {
  process.stdout.write("noise\n");
  return { kind: "value", value: "quiet" };
});

/** A source whose tools a test replaces. */
export interface ChangingSource extends ToolSource {
  replace(tools: readonly Tool[]): void;
  /** How many listen for changes now. */
  listenerCount(): number;
}

/** Makes a source that starts with these tools. */
export function changingSource(first: readonly Tool[]): ChangingSource {
  const listeners = new Set<() => void>();
  let set: ToolSet = { generation: 1, tools: first, broken: [], problems: [] };
  return {
    name: "changing",
    role: "tools",
    current: () => set,
    refresh: async () => undefined,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    listenerCount: () => listeners.size,
    replace: (tools) => {
      set = { ...set, generation: set.generation + 1, tools };
      for (const listener of listeners) listener();
    },
  };
}

/** An engine with the meta tools and this source, or these tools. */
export function testEngine(tools: readonly Tool[] | ToolSource, agents: readonly string[] = []): Engine {
  const source = "current" in tools ? tools : createCodeSource("code", "tools", tools);
  return createEngine({
    sources: [createCodeSource("meta", "meta", metaTools), source],
    policy: () => ({ agents, hadAgents: agents.length > 0 }),
    log: silentLog,
  });
}

/** Files by which a server in another process tells its test what happens. */
export const SIGNAL_FILES = { started: "started", cancelled: "cancelled" } as const;

/** An engine that reports through {@link SIGNAL_FILES} in a folder. */
export function fileSignalledEngine(folder: string): Engine {
  const note = (file: string) => () => writeFileSync(join(folder, file), "");
  const wait = waitTool({ started: note(SIGNAL_FILES.started), cancelled: note(SIGNAL_FILES.cancelled) });
  return testEngine([echo, pick, steps, slow, noisy, wait]);
}
