// Saves of tools.json while a client calls and lists without pause, through the whole call path with its sandbox.
import { join } from "node:path";
import type { Caller } from "../../src/core/tool.ts";
import { SAVE_STYLES } from "./file-saves.ts";
import { makeHome, openTestRuntime } from "./runtime.ts";
import { entry, makeFolder } from "./workspace-folder.ts";

/** What the saves and the calls beside them came to. */
export interface ReloadFigures {
  readonly saves: number;
  /** Saves that the call right after them ran on. */
  readonly live: number;
  readonly calls: number;
  readonly failed: number;
  readonly lists: number;
  /** Fewest tools that a list showed. */
  readonly fewest: number;
}

const CALLER: Caller = { agent: "default", origin: "mcp" };

const SCRIPT = "async function main() { return g.tool.title }\n";

function fileOf(save: number, tools: number): string {
  const entries = Array.from({ length: tools }, (_, index) => entry(`tool-${index}`, { title: `save ${save}` }));
  return JSON.stringify({ tools: entries }, null, 2);
}

/** Saves in the five styles, which `random` picks (from 0 to below 1); a call after each must run on what was saved. */
export async function reloadUnderCalls(saves: number, tools: number, random: () => number): Promise<ReloadFigures> {
  const root = makeFolder({ "tools.json": fileOf(0, tools), "scripts/a.js": SCRIPT });
  const runtime = await openTestRuntime(root, makeHome(), { watch: true });
  const figures = { saves, live: 0, calls: 0, failed: 0, lists: 0, fewest: tools };
  const anyTool = (): string => `tool-${Math.floor(random() * tools)}`;
  let isSaving = true;
  const call = async (): Promise<void> => {
    while (isSaving) {
      const result = await runtime.run(anyTool());
      figures.calls += 1;
      if (result.kind === "error") figures.failed += 1;
    }
  };
  const list = async (): Promise<void> => {
    while (isSaving) {
      await runtime.engine.refresh({ kind: "list" });
      const listed = runtime.engine.list(CALLER).filter(({ role, status }) => role === "tools" && status.kind === "ready");
      figures.lists += 1;
      figures.fewest = Math.min(figures.fewest, listed.length);
      // A turn of the event loop, or nothing else would come to its turn.
      await new Promise(setImmediate);
    }
  };
  const client = Promise.all([call(), list()]);
  for (let save = 1; save <= saves; save++) {
    const [, style] = SAVE_STYLES[Math.floor(random() * SAVE_STYLES.length)] ?? [];
    await style?.(join(root, "tools.json"), fileOf(save, tools));
    const result = await runtime.run(anyTool());
    if (result.kind === "ok" && result.value === `save ${save}`) figures.live += 1;
  }
  isSaving = false;
  await client;
  return figures;
}
