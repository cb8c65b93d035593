// Every hostile script three times in a row, and eight of them at once beside a well-behaved tool, whose calls must hardly notice.
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { SandboxResult } from "../../src/sandbox/sandbox-call.ts";
import { attack, wantedOf } from "../hostile/attack.ts";
import { expectations } from "../hostile/expectations.ts";
import { MODES, type Mode, readOwnScripts } from "../hostile/own-scripts.ts";
import { type CallWishes, emptyPage, gist, testCall, testSandbox } from "../support/sandbox-call.ts";
import { percentile, runSeed, seededRandom, writeEvidence } from "./evidence.ts";

const ROUNDS = 3;
const AT_ONCE = 8;
const QUIET_MS = 10_000;
const WARM_MS = 3_000;
/** Issue 4: the well-behaved tool's own p99 stays under so many times its quiet value. */
const MOST_TIMES = 5;
/** Longer than a tool is refused or runs apart for what it did. */
const FORGIVEN_MS = 240_000;

/** One script in one mode: what it must end with, and a call of it. */
interface Hostile {
  readonly name: string;
  readonly wanted: JsonValue;
  run(sandbox: Sandbox): Promise<JsonValue>;
}

test("every hostile script ends as it must three times in a row, in each mode", async () => {
  let laterMs = 0;
  await using sandbox = await testSandbox({ now: () => performance.now() + laterMs });
  const wrong: JsonValue[] = [];
  let runs = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    for (const mode of MODES) {
      laterMs += FORGIVEN_MS;
      for (const { name, wanted, run } of hostileScripts(mode)) {
        const seen = await run(sandbox);
        runs += 1;
        if (JSON.stringify(seen) !== JSON.stringify(wanted)) wrong.push({ round, mode, name, seen, wanted });
      }
    }
  }
  const scripts = expectations.length + readOwnScripts().length;
  writeEvidence("hostile-rounds", { scripts, rounds: ROUNDS, runs, wrong });
  expect(wrong).toEqual([]);
});

test.each(MODES)(
  `in mode "%s" a well-behaved tool beside ${AT_ONCE} hostile scripts at once loses no call and keeps its p99 under ${MOST_TIMES} times the quiet one`,
  async (mode) => {
    const seed = runSeed();
    const random = seededRandom(seed);
    const loadBefore = loadavg()[0];
    await using sandbox = await testSandbox();
    const good = (): Promise<SandboxResult> =>
      sandbox.run(testCall("function main() { return 1 }", { tool: "good", isolation: mode, timeoutMs: 10_000 }));
    await timeCalls(good, WARM_MS);
    const quiet = await timeCalls(good, QUIET_MS);
    const scripts = attacks(mode);
    const waiting = Array.from({ length: ROUNDS }, () => shuffled(scripts, random)).flat();
    const started = waiting.length;
    const outcomes: Record<string, number> = {};
    const attacker = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const result = await sandbox.run(next());
        const code = result.kind === "error" ? result.error.code : "value";
        outcomes[code] = (outcomes[code] ?? 0) + 1;
      }
    };
    const attacking = new AbortController();
    const attackers = Promise.all(Array.from({ length: AT_ONCE }, attacker)).finally(() => attacking.abort());
    const loaded = await timeCalls(good, Number.POSITIVE_INFINITY, attacking.signal);
    await attackers;
    const after = await timeCalls(good, QUIET_MS);
    const times = Number((loaded.p99Ms / quiet.p99Ms).toFixed(2));
    writeEvidence(`hostile-load-${mode}`, { seed, loadBefore, atOnce: AT_ONCE, started, outcomes, quiet, loaded, after, times });
    expect([loaded.failed, after.failed]).toEqual([{}, {}]);
    expect(times).toBeLessThan(MOST_TIMES);
  },
);

/** Scripts from outside and our own, each with what is judged of it. */
function hostileScripts(mode: Mode): readonly Hostile[] {
  const others = expectations.map((expectation): Hostile => {
    const { file, limitMs } = expectation;
    return { name: file, wanted: expectation[mode], run: async (sandbox) => gist(await sandbox.run(callOf(file, limitMs, mode))) };
  });
  const own = readOwnScripts().flatMap((script): readonly Hostile[] => {
    const wanted = wantedOf(script, mode);
    if (wanted === undefined) return [];
    return [{ name: script.file, wanted: { ...wanted }, run: async (sandbox) => ({ ...(await attack(sandbox, script, mode)) }) }];
  });
  return [...others, ...own];
}

/** The same as single calls, without the calls before and after them. */
function attacks(mode: Mode): readonly (() => Parameters<Sandbox["run"]>[0])[] {
  const others = expectations.map(
    ({ file, limitMs }) =>
      () =>
        callOf(file, limitMs, mode),
  );
  const ofMode = readOwnScripts().filter((script) => wantedOf(script, mode) !== undefined);
  const own = ofMode.map(({ file, source, limitMs }) => {
    const wishes = { tool: file, isolation: mode, timeoutMs: limitMs, args: { turn: 1 } };
    return () => testCall(source, { ...wishes, onHostCall: answerRequest });
  });
  return [...others, ...own];
}

function callOf(file: string, limitMs: number, mode: Mode): Parameters<Sandbox["run"]>[0] {
  const source = readFileSync(new URL(`../hostile/${file}`, import.meta.url), "utf8");
  const args: CallWishes["args"] & object = JSON.parse('{"__proto__":{"p":1}}');
  return testCall(source, { tool: file, isolation: mode, timeoutMs: limitMs, args, onHostCall: answerRequest });
}

/** One host never answers, the others give an empty page. */
async function answerRequest(_method: string, params: JsonValue, signal: AbortSignal): Promise<JsonValue> {
  if (!JSON.stringify(params).includes("http://slow/")) return emptyPage;
  return await new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** In another order (Fisher and Yates). */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const [moved] = order.splice(Math.floor(random() * (last + 1)), 1);
    if (moved !== undefined) order.push(moved);
  }
  return order;
}

/** One call after the other for that long, or until the signal. */
async function timeCalls(call: () => Promise<SandboxResult>, forMs: number, signal?: AbortSignal) {
  const durations: number[] = [];
  const failed: Record<string, number> = {};
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs && signal?.aborted !== true) {
    const startMs = performance.now();
    const result = await call();
    durations.push(performance.now() - startMs);
    if (result.kind === "error") failed[result.error.code] = (failed[result.error.code] ?? 0) + 1;
  }
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => percentile(durations, share));
  return { calls: durations.length, failed, p50Ms: p50Ms ?? 0, p99Ms: p99Ms ?? 0, maxMs: maxMs ?? 0 };
}
