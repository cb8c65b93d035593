/**
 * Where the time of one echo call goes, from the inside out, in mode "tool", and what a new isolate costs:
 * `npx node --no-node-snapshot bench/layers.ts`. One call at a time; each layer holds the ones above it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { loadCapabilities } from "../src/capabilities/index.ts";
import { newId } from "../src/core/ids.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { silentLog } from "../src/core/log.ts";
import { openRuntime } from "../src/engine/runtime.ts";
import { createCodeCache } from "../src/sandbox/code-cache.ts";
import { guestCaps } from "../src/sandbox/guest-caps.ts";
import { Isolate, type IsolateCode } from "../src/sandbox/isolate.ts";
import { readRealmSources } from "../src/sandbox/realm-sources.ts";
import { Sandbox } from "../src/sandbox/sandbox.ts";
import { warmCode } from "../src/sandbox/warm-code.ts";

const MEASURE_MS = 1_500;
const WARM_CALLS = 1_000;
const ISOLATES = 40;

const script = { source: "async function main() { return { text: g.tool.args.text } }\n", file: "scripts/echo.js", entry: "main" };
const capabilities = loadCapabilities();
const limits = defaultLimits();
const parts = { memoryMb: 64, sources: readRealmSources(capabilities), caps: guestCaps(limits) };
const signal = new AbortController().signal;

const factsOf = (callId: string) => ({
  callId,
  args: { text: "hello" },
  tool: { name: "echo", description: "Gives back its text" },
  config: {},
  agent: { id: "default", instanceId: "bench" },
  run: { origin: "cli" as const, startedAt: "2026-01-01T00:00:00.000Z", timeoutMs: 30_000 },
});

console.log(`Node ${process.versions.node}, ${cpus().length} cores ${cpus()[0]?.model ?? ""}; µs, tenth and half of the calls below\n`);
console.log("| layer | p10 | p50 |\n| --- | --- | --- |");
await measureIsolate();
await measureSandbox();
await measureEngine();
const codeCache: IsolateCode = createCodeCache();
await measureMaking("a new isolate, sources compiled", () => Isolate.create({ ...parts, hardened: false }));
await measureMaking("a new isolate, code from the cache", () => Isolate.create({ ...parts, hardened: false }, codeCache));
await warmCode(() => Isolate.create({ ...parts, hardened: false }, codeCache), parts.sources, codeCache);
await measureMaking("a new isolate, code as a call left it", () => Isolate.create({ ...parts, hardened: false }, codeCache));
await measureMaking("a new hardened isolate", () => Isolate.create({ ...parts, hardened: true }, codeCache));

async function measureIsolate(): Promise<void> {
  using isolate = await Isolate.create({ ...parts, hardened: true });
  await isolate.load(script);
  await measureCalls("isolate, in this process", async (id) => {
    const events = { onHostCall: () => undefined, onNotice: () => undefined, onDone: () => undefined };
    await isolate.run({ id, factsJson: JSON.stringify(factsOf(id)), timeoutMs: 30_000 }, events);
  });
}

async function measureSandbox(): Promise<void> {
  await using sandbox = await Sandbox.start({ capabilities, limits, log: silentLog });
  await measureCalls("+ process border and queue", async (callId) => {
    const result = await sandbox.run({
      callId,
      agent: "default",
      tool: "echo",
      script: { key: "echo", ...script, isolation: "tool", memoryMb: 64 },
      facts: factsOf(callId),
      timeoutMs: 30_000,
      timeoutHint: "",
      signal,
      onStart: () => undefined,
      onHostCall: async () => null,
      onNotice: () => undefined,
    });
    if (result.kind === "error") throw result.error;
  });
}

async function measureEngine(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-layers-"));
  try {
    mkdirSync(join(folder, "w/scripts"), { recursive: true });
    const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const tools = [{ name: "echo", description: "Gives back its text", script: script.file, parameters }];
    writeFileSync(join(folder, "w/tools.json"), JSON.stringify({ tools }));
    writeFileSync(join(folder, "w/toolyard.json"), JSON.stringify({ sandbox: { isolation: "tool" } }));
    writeFileSync(join(folder, "w", script.file), script.source);
    const options = { root: join(folder, "w"), home: join(folder, "home"), key: { keychain: false }, poll: false, warmUp: true };
    await using runtime = await openRuntime({ ...options, log: silentLog });
    await measureCalls("+ engine: find, check, record", async () => {
      const request = { name: "echo", args: { text: "hello" }, signal };
      const result = await runtime.engine.call({ agent: "default", origin: "cli" }, request);
      if (result.kind === "error") throw new Error(result.message);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureCalls(layer: string, call: (id: string) => Promise<void>): Promise<void> {
  for (let n = 0; n < WARM_CALLS; n++) await call(newId());
  const durationsMs: number[] = [];
  const end = performance.now() + MEASURE_MS;
  while (performance.now() < end) {
    const id = newId();
    const start = performance.now();
    await call(id);
    durationsMs.push(performance.now() - start);
  }
  printRow(layer, durationsMs);
}

async function measureMaking(layer: string, make: () => Promise<Isolate>): Promise<void> {
  const durationsMs: number[] = [];
  for (let n = 0; n < ISOLATES; n++) {
    const start = performance.now();
    using _made = await make();
    durationsMs.push(performance.now() - start);
  }
  printRow(layer, durationsMs);
}

function printRow(layer: string, durationsMs: readonly number[]): void {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number): string => ((sorted[Math.floor(sorted.length * share)] ?? Number.NaN) * 1_000).toFixed(0);
  console.log(`| ${layer} | ${at(0.1)} | ${at(0.5)} |`);
}
