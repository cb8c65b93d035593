import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { emptyPage, eventually, gist, isAlive, testCall, testSandbox } from "../../test/support/sandbox-call.ts";
import type { JsonValue } from "../core/json.ts";
import type { Sandbox } from "./sandbox.ts";
import { CALLS_OF_TRIAL } from "./tool-trials.ts";

const fine = "async function main() { return 1 }";
const asks = 'async function main() { return (await g.http.makeHttpRequest("http://x/")).status }';

async function sandboxWithProvenTool(options: Parameters<typeof testSandbox>[0] = {}): Promise<Sandbox> {
  const sandbox = await testSandbox(options);
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  for (let n = 0; n <= CALLS_OF_TRIAL; n++) await expectOne(sandbox, "good");
  return sandbox;
}

async function expectOne(sandbox: Sandbox, tool: string): Promise<void> {
  expect(gist(await sandbox.run(testCall(fine, { tool, timeoutMs: 10_000 })))).toEqual({ value: 1 });
}

function pidsOf(sandbox: Sandbox, wanted: "serving" | "standby"): readonly number[] {
  return sandbox
    .status()
    .hosts.filter(({ role }) => role === wanted)
    .map(({ pid }) => pid);
}

/** The process in which a call of the tool is. */
async function hostOf(sandbox: Sandbox, tool: string): Promise<number> {
  let pid = 0;
  const onHostCall = async (): Promise<JsonValue> => {
    // The call before it may have its answer and not yet have left its host.
    await eventually("one host has a call inside", 2_000, () => {
      const [only, another] = sandbox.status().hosts.filter(({ callsInside }) => callsInside > 0);
      pid = only?.pid ?? 0;
      return another === undefined;
    });
    return emptyPage;
  };
  expect(gist(await sandbox.run(testCall(asks, { tool, timeoutMs: 10_000, onHostCall })))).toEqual({ value: 200 });
  return pid;
}

test("a new tool beside a proven one runs in the background until five of its calls ended well, a changed script again", async () => {
  const sandbox = await sandboxWithProvenTool();
  const [front = 0] = pidsOf(sandbox, "serving");
  for (let n = 0; n < CALLS_OF_TRIAL; n++) {
    const pid = await hostOf(sandbox, "new");
    expect(pid).not.toBe(front);
    expect(getPriority(pid) - getPriority()).toBe(Math.min(5, 19 - getPriority()));
  }
  expect(await hostOf(sandbox, "new")).toBe(front);
  expect(await hostOf(sandbox, "good")).not.toBe(front); // its script is another one now
  await expectOne(sandbox, "other");
  expect(pidsOf(sandbox, "serving")).toHaveLength(2);
});

test("new tools that kill their hosts or compute without end cost a proven tool no call and no host", async () => {
  const sandbox = await sandboxWithProvenTool();
  const [front = 0] = pidsOf(sandbox, "serving");
  const kills = readFileSync(new URL("../../test/hostile/88-invalid-size-split.js", import.meta.url), "utf8");
  const bad = [kills, "async function main() { for (;;); }"];
  const attacks = Promise.all(bad.map((source, n) => sandbox.run(testCall(source, { tool: `bad-${n}`, timeoutMs: 500 }))));
  let isOver = false;
  void attacks.finally(() => {
    isOver = true;
  });
  while (!isOver) await expectOne(sandbox, "good");
  expect((await attacks).map(({ kind }) => kind)).toEqual(["error", "error"]);
  expect(pidsOf(sandbox, "serving")).toContain(front);
});

test("hosts in the background are ended when they had no call for a while, with the one that stands by for them", async () => {
  const sandbox = await sandboxWithProvenTool({ backgroundIdleMs: 400 });
  const background = await hostOf(sandbox, "new");
  await eventually("the host is gone", 10_000, () => !isAlive(background));
  await eventually("one serves and one stands by", 10_000, () => {
    const { hosts } = sandbox.status();
    return hosts.length === 2 && hosts.every(({ role, pid }) => role !== "leaving" && getPriority(pid) === getPriority());
  });
  await expectOne(sandbox, "new");
});
