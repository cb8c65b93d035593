/** A sandbox and calls into it, for tests. */
import { createHash } from "node:crypto";
import { loadCapabilities } from "../../src/capabilities/index.ts";
import type { CallFacts } from "../../src/core/capability.ts";
import { newId } from "../../src/core/ids.ts";
import type { JsonValue } from "../../src/core/json.ts";
import { defaultLimits, type Limits } from "../../src/core/limits.ts";
import type { Log, LogFields } from "../../src/core/log.ts";
import { silentLog } from "../../src/core/log.ts";
import { readProcessFigures } from "../../src/sandbox/process-figures.ts";
import { Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import type { SandboxCall, SandboxResult } from "../../src/sandbox/sandbox-call.ts";

/** What a test wants otherwise than the defaults of {@link testCall}. */
export interface CallWishes extends Partial<Omit<SandboxCall, "script" | "facts">> {
  readonly isolation?: "tool" | "call";
  readonly memoryMb?: number;
  readonly args?: CallFacts["args"];
}

/** A call of the script; 1 s, mode "tool", host calls answered with an empty page. */
export function testCall(source: string, wishes: CallWishes = {}): SandboxCall {
  const { isolation = "tool", memoryMb = 64, args = {}, ...rest } = wishes;
  const callId = rest.callId ?? newId();
  const tool = rest.tool ?? "probe";
  const timeoutMs = rest.timeoutMs ?? 1_000;
  return {
    callId,
    agent: "default",
    tool,
    script: {
      key: createHash("sha256").update(source).digest("hex"),
      source,
      file: "scripts/probe.js",
      entry: "main",
      isolation,
      memoryMb,
    },
    facts: {
      callId,
      args,
      tool: { name: tool, description: "A tool of the tests" },
      config: {},
      agent: { id: "default", instanceId: "test" },
      run: { origin: "cli", startedAt: "2026-01-01T00:00:00.000Z", timeoutMs },
    },
    timeoutMs,
    timeoutHint: '"timeout" in tools.json; at most 300',
    signal: new AbortController().signal,
    onStart: () => undefined,
    onHostCall: async () => emptyPage,
    onNotice: () => undefined,
    ...rest,
  };
}

/** Answer of the http capability with nothing in it. */
export const emptyPage: JsonValue = {
  status: 200,
  statusText: "OK",
  headers: {},
  setCookie: [],
  bodyBase64: "",
  bodyText: "",
  url: "http://loopback/",
  redirected: false,
};

/** A started sandbox with the real capabilities' guests. */
export async function testSandbox(
  options: Partial<Omit<SandboxOptions, "limits">> & { readonly limits?: Partial<Limits> } = {},
): Promise<Sandbox> {
  const { limits, ...rest } = options;
  const capabilities = loadCapabilities().map(({ name, guest }) => ({ name, guest }));
  return await Sandbox.start({ capabilities, log: silentLog, ...rest, limits: { ...defaultLimits(), ...limits } });
}

/** The value or the error's code: what most tests compare. */
export function gist(result: SandboxResult): JsonValue {
  switch (result.kind) {
    case "value":
      return { value: result.value };
    case "content":
      return { blocks: result.blocks, ...(result.value === undefined ? {} : { value: result.value }) };
    case "error":
      return { code: result.error.code };
  }
}

/** A log that keeps its events. */
export function keptLog(): { readonly log: Log; readonly events: { readonly event: string; readonly fields: LogFields }[] } {
  const events: { readonly event: string; readonly fields: LogFields }[] = [];
  const keep = (event: string, fields: LogFields = {}): void => {
    events.push({ event, fields });
  };
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, events };
}

/** Waits until the condition holds, looking every 20 ms; throws after the deadline. For facts that no event tells. */
export async function eventually(what: string, deadlineMs: number, holds: () => boolean): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`Not within ${deadlineMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a process of that id exists (a zombie does not count). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: there is no such process.
    return false;
  }
}

/** A condition that holds once the process used less than a tenth of a processor over 0.3 s (or is gone). */
export function isIdle(pid: number): () => boolean {
  let windowStart = { atMs: performance.now(), cpuMs: readProcessFigures(pid)?.cpuMs ?? 0 };
  return () => {
    const atMs = performance.now();
    const { cpuMs = windowStart.cpuMs } = readProcessFigures(pid) ?? {};
    if (atMs - windowStart.atMs < 300) return false;
    const isQuiet = cpuMs - windowStart.cpuMs <= 30;
    windowStart = { atMs, cpuMs };
    return isQuiet;
  };
}
