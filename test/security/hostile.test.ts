/** Every script of test/hostile once in each mode of isolation, through the whole sandbox. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type Expectation, expectations } from "../hostile/expectations.ts";
import { emptyPage, eventually, gist, isAlive, isIdle, testCall, testSandbox } from "../support/sandbox-call.ts";

const folder = new URL("../hostile/", import.meta.url);

/** For all scripts of one mode, in milliseconds: 20 s where nothing else runs. */
const RUN_MS = 240_000;

/** A caller gets its answer at the latest this long after the limit (DESIGN 3). */
const ANSWER_MS = 1_000;

/** Requests of hostile scripts: one host never answers, the other gives an empty page. */
async function answerRequest(_method: string, params: JsonValue, signal: AbortSignal): Promise<JsonValue> {
  if (!JSON.stringify(params).includes("http://slow/")) return emptyPage;
  return await new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

interface Seen {
  readonly file: string;
  readonly outcome: JsonValue;
  readonly isInTime: boolean;
  readonly nextCall: JsonValue;
}

async function attack(sandbox: Sandbox, { file, limitMs }: Expectation, isolation: "tool" | "call"): Promise<Seen> {
  const source = readFileSync(new URL(file, folder), "utf8");
  const args: { readonly [key: string]: JsonValue } = JSON.parse('{"__proto__":{"p":1}}');
  // From the moment the call has its host: a host that has just replaced a killed one is no part of the script's time.
  let startedMs = performance.now();
  const onStart = (): void => {
    startedMs = performance.now();
  };
  const result = await sandbox.run(
    testCall(source, { tool: file, isolation, timeoutMs: limitMs, args, onStart, onHostCall: answerRequest }),
  );
  const isInTime = performance.now() - startedMs < limitMs + ANSWER_MS;
  const next = await sandbox.run(testCall("async function main() { return 1 }", { tool: `next after ${file}`, timeoutMs: 10_000 }));
  return { file, outcome: gist(result), isInTime, nextCall: gist(next) };
}

test("every hostile script has its expectation", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(expectations.map(({ file }) => file)).toEqual(files.sort());
});

for (const isolation of ["tool", "call"] as const) {
  test(
    `every hostile script in mode "${isolation}" ends as it must and in time, the next call works, and the processor is free again`,
    async () => {
      await using sandbox = await testSandbox();
      const pids = new Set<number>();
      const seen: Seen[] = [];
      for (const expectation of expectations) {
        for (const { pid } of sandbox.status().hosts) pids.add(pid);
        seen.push(await attack(sandbox, expectation, isolation));
      }
      const wanted = expectations.map((expectation): Seen => {
        return { file: expectation.file, outcome: expectation[isolation], isInTime: true, nextCall: { value: 1 } };
      });
      expect(seen).toEqual(wanted);
      const current = new Set(
        sandbox
          .status()
          .hosts.filter(({ role }) => role !== "leaving")
          .map(({ pid }) => pid),
      );
      for (const pid of pids) if (!current.has(pid)) await eventually(`host ${pid} is gone`, 6_000, () => !isAlive(pid));
      for (const pid of current) await eventually(`host ${pid} is idle`, 6_000, isIdle(pid));
    },
    RUN_MS,
  );
}
