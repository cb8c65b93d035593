// 500 saves of tools.json and of scripts in five styles, half while somebody reads without pause, half noticed by events alone, and
// 500 of tools.json under the calls of a client: no moment has fewer tools than the last good set.
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { SAVE_STYLES } from "../support/file-saves.ts";
import { reloadUnderCalls } from "../support/reload-under-calls.ts";
import { entry, makeFolder, openWorkspace, whenChanged } from "../support/workspace-folder.ts";
import { percentile, runSeed, seededRandom, writeEvidence } from "./evidence.ts";

const SAVES = 500;
const TOOLS = 20;

function toolsFile(save: number): string {
  const tools = Array.from({ length: TOOLS }, (_, index) =>
    entry(`tool-${index}`, { title: `save ${save}`, script: `scripts/${index}.js` }),
  );
  return JSON.stringify({ tools }, null, 2);
}

function script(save: number): string {
  return `async function main() {\n  return ${save};\n}\n${"// padding\n".repeat(200)}`;
}

test("no read in 500 saves sees fewer or mixed tools, and each edit is live within a second without a call, at once with one", async () => {
  const seed = runSeed();
  const random = seededRandom(seed);
  const files = Object.fromEntries(Array.from({ length: TOOLS }, (_, index) => [`scripts/${index}.js`, script(0)]));
  const root = makeFolder({ "tools.json": toolsFile(0), ...files });
  const workspace = await openWorkspace(root);
  await workspace.whenWatching();
  const reads = { count: 0, fewest: TOOLS, mixed: 0 };
  const control = { isSaving: true, isReading: true };
  const reading = keepReading(workspace, random, reads, control);
  // Between the reads too: what is published by an event alone.
  workspace.onChange(() => note(workspace, reads));
  const byEventMs: number[] = [];
  let live = 0;
  for (let save = 1; save <= SAVES; save++) {
    const [, style] = SAVE_STYLES[Math.floor(random() * SAVE_STYLES.length)] ?? [];
    const isScript = random() < 0.3;
    const index = Math.floor(random() * TOOLS);
    const isLive = (): boolean => {
      const tool = workspace.current().tools[index];
      return isScript ? tool?.script.source === script(save) : tool?.title === `save ${save}`;
    };
    const isCalled = random() < 0.5;
    control.isReading = isCalled;
    await style?.(join(root, isScript ? `scripts/${index}.js` : "tools.json"), isScript ? script(save) : toolsFile(save));
    if (isCalled) {
      await workspace.refresh({ kind: "tool", name: `tool-${index}` });
      if (isLive()) live += 1;
      continue;
    }
    const startMs = performance.now();
    await whenChanged(workspace, isLive, 1_000);
    byEventMs.push(performance.now() - startMs);
    live += 1;
  }
  control.isSaving = false;
  await reading;
  writeEvidence("reload", {
    seed,
    saves: SAVES,
    live,
    reads,
    byEventMs: { p50: percentile(byEventMs, 0.5), p99: percentile(byEventMs, 0.99) },
  });
  expect({ live, fewest: reads.fewest, mixed: reads.mixed }).toEqual({ live: SAVES, fewest: TOOLS, mixed: 0 });
});

test("in 500 saves under calls of a client every call works, no list has fewer tools, and the call after each save runs on it", async () => {
  const seed = runSeed();
  const figures = await reloadUnderCalls(SAVES, TOOLS, seededRandom(seed));
  writeEvidence("reload-under-calls", { seed, ...figures });
  expect(figures).toMatchObject({ live: SAVES, failed: 0, fewest: TOOLS });
});

/** Looks for one tool and for all, without pause, as calls and lists do before they are answered. */
async function keepReading(
  workspace: Workspace,
  random: () => number,
  reads: { count: number; fewest: number; mixed: number },
  control: { readonly isSaving: boolean; readonly isReading: boolean },
): Promise<void> {
  while (control.isSaving) {
    await setImmediate();
    if (!control.isReading) continue;
    await workspace.refresh(random() < 0.5 ? { kind: "list" } : { kind: "tool", name: `tool-${Math.floor(random() * TOOLS)}` });
    note(workspace, reads);
  }
}

function note(workspace: Workspace, reads: { count: number; fewest: number; mixed: number }): void {
  const { tools } = workspace.current();
  reads.count += 1;
  reads.fewest = Math.min(reads.fewest, tools.length);
  if (new Set(tools.map(({ title }) => title)).size > 1) reads.mixed += 1;
}
