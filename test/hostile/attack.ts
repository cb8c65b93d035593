/** Runs one hostile script of our own and tells what anybody can see of it. */
import type { JsonValue } from "../../src/core/json.ts";
import { readProcessFigures } from "../../src/sandbox/process-figures.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { SandboxResult } from "../../src/sandbox/sandbox-call.ts";
import { type CallWishes, emptyPage, eventually, gist, isIdle, testCall, testSandbox } from "../support/sandbox-call.ts";
import type { Mode, OwnScript } from "./own-scripts.ts";

/** What is judged of one script in one mode. */
export interface Seen {
  readonly file: string;
  readonly mode: Mode;
  readonly outcome: JsonValue;
  /** Whether the answer came at the latest {@link ANSWER_MS} after the limit. */
  readonly isInTime: boolean;
  /** Whether no host took more than {@link HOST_CEILING_MB}, during the attack and the next call. */
  readonly isMemoryHeld: boolean;
  /** What a call of another tool gives right after it. */
  readonly nextCall: JsonValue;
  /** Whether no host computes any more; true where it is not waited for. */
  readonly isQuiet: boolean;
}

/** A caller gets its answer at the latest this long after the limit, in milliseconds (DESIGN 3). */
const ANSWER_MS = 1_000;

/** Memory of kept isolates in the sandboxes of hostile scripts, in MiB: small, so that what fills a host is ended soon. */
const KEPT_MB = 128;

/** Resident memory no host may pass: base 512, kept isolates and the script's 64 MiB (DESIGN 3), and what comes before the next look. */
const HOST_CEILING_MB = 512 + KEPT_MB + 64 + 1_024;

const FIGURES_EVERY_MS = 20;

const FREE_MS = 200;

/** Stands in errors of the server that no script may read. */
const SERVER_MARK = "/the-mark-of-the-server";

/** A body that is no JSON, which nothing but the script may come to know. */
const BODY_MARK = "the-mark-of-a-body";

/** What the script must give in a mode it runs in. */
export function wantedOf({ file, expectations }: OwnScript, mode: Mode): Seen | undefined {
  const expectation = expectations.find((each) => each.mode === mode);
  if (expectation === undefined) return undefined;
  return { file, mode, outcome: expectation.outcome, isInTime: true, isMemoryHeld: true, nextCall: { value: 1 }, isQuiet: true };
}

/** A sandbox as hostile scripts get it. */
export async function hostileSandbox(): Promise<Sandbox> {
  return await testSandbox({ limits: { keptIsolatesMb: KEPT_MB } });
}

/** Runs the script, and the call before it if it has one, in a sandbox that may have served others. Whether it is quiet after it is not waited for. */
export async function attack(sandbox: Sandbox, script: OwnScript, mode: Mode): Promise<Seen> {
  const { file, source, limitMs, before } = script;
  let isMemoryHeld = true;
  const watch = setInterval(() => {
    for (const { pid } of sandbox.status().hosts) if ((readProcessFigures(pid)?.rssMb ?? 0) > HOST_CEILING_MB) isMemoryHeld = false;
  }, FIGURES_EVERY_MS);
  try {
    let startedMs = performance.now();
    // From the moment the call has its host: a host that has just replaced a killed one is no part of the script's time.
    const onStart = (): void => {
      startedMs = performance.now();
    };
    const common = { tool: file, isolation: mode, timeoutMs: limitMs };
    if (before !== undefined) {
      await sandbox.run(testCall(before.source, { ...common, ...witness(), ...before.as, args: { turn: 1 } }));
      await isolatesAreFree(sandbox);
    }
    const args = { turn: before === undefined ? 1 : 2 };
    const result = await sandbox.run(testCall(source, { ...common, ...witness(), args, onStart }));
    const isInTime = performance.now() - startedMs < limitMs + ANSWER_MS;
    const next = await sandbox.run(testCall("async function main() { return 1 }", { tool: `next after ${file}`, timeoutMs: 10_000 }));
    const outcome = namesServer(result, before?.as.tool) ? "an error that names the server's own" : gist(result);
    return { file, mode, outcome, isInTime, isMemoryHeld, nextCall: gist(next), isQuiet: true };
  } finally {
    clearInterval(watch);
  }
}

/** A call is answered a moment before its isolate is free for the next one; what goes on after its end is not waited for. */
async function isolatesAreFree(sandbox: Sandbox): Promise<void> {
  const areFree = (): boolean => sandbox.status().hosts.every(({ callsInside }) => callsInside === 0);
  await eventually("no call is inside", FREE_MS, areFree).catch(() => undefined);
}

/** Whether an error tells its caller a path of this machine or of the installation, the id of a process, or the other tool's name. */
function namesServer(result: SandboxResult, otherTool = "the-tool-before"): boolean {
  if (result.kind !== "error") return false;
  const text = `${result.error.message} ${JSON.stringify(result.error.data)}`;
  if (/node_modules|isolated-vm|file:\/\/|toolyard:|\.ts\b|\b(?:pid|process)\W{0,3}\d/i.test(text)) return true;
  return text.includes(process.cwd()) || text.split(/[^\w-]+/).includes(otherTool);
}

/** What a script left behind may compute so long after its answer, in milliseconds. */
export const QUIET_MS = 10_000;

/** Whether it attacks the processor: only then it is waited for that its hosts are idle, which takes a third of a second each. */
export function isOfProcessor(file: string): boolean {
  return file.startsWith("cpu/");
}

/** Whether all hosts are idle within the time. */
export async function becomesQuiet(sandbox: Sandbox, quietMs: number): Promise<boolean> {
  const watches = new Map<number, () => boolean>();
  const idle = new Set<number>();
  // Each is looked at by windows of its own. A host that is killed meanwhile is no longer among them.
  const areIdle = (): boolean => {
    const pids = sandbox.status().hosts.map(({ pid }) => pid);
    for (const pid of pids) {
      const watch = watches.get(pid) ?? isIdle(pid);
      watches.set(pid, watch);
      if (watch()) idle.add(pid);
    }
    return pids.every((pid) => idle.has(pid));
  };
  try {
    await eventually("the hosts are idle", quietMs, areIdle);
    return true;
  } catch {
    return false; // that they are not is all `eventually` tells
  }
}

/** The server's side of a call, which a script can ask for what reached it; README.md lists the hosts. */
function witness(): Pick<CallWishes, "onHostCall" | "onNotice"> {
  const notices: JsonValue[] = [];
  const calls: JsonValue[] = [];
  return {
    onNotice: (name, params) => notices.push({ name, params }),
    onHostCall: async (method, params, signal) => {
      const text = JSON.stringify(params);
      if (text.includes('"http://slow/')) return await untilAborted(signal);
      if (text.includes('"http://notices/')) return page(JSON.stringify(notices));
      if (text.includes('"http://calls/')) return page(JSON.stringify(calls));
      if (text.includes('"http://broken/')) throw new Error(`${SERVER_MARK}: no such file, process ${process.pid}`);
      if (text.includes('"http://secretive/')) return page(BODY_MARK);
      calls.push({ method, params });
      return emptyPage;
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

function page(text: string): JsonValue {
  // emptyPage is an object; its type says only that it is JSON.
  return Object.assign({}, emptyPage, { bodyText: text, bodyBase64: Buffer.from(text).toString("base64") });
}
