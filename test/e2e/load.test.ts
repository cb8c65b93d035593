import { expect, test } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { makeFolder, putFiles } from "../support/workspace-folder.ts";

const files = {
  "tools.json": { tools: [{ name: "double", description: "Doubles", script: "scripts/double.js" }] },
  "scripts/double.js": "async function main() { await g.run.sleep(5); return g.tool.args.n * 2 }",
};

test("200 calls at once with a queue of 200 all get their own answer", async () => {
  const runtime = await openTestRuntime(makeFolder(files), makeHome(), {
    limits: { ...defaultLimits(), queuedCalls: 200, queueWaitMs: 60_000 },
  });
  const results = await Promise.all(Array.from({ length: 200 }, (_, n) => runtime.run("double", { n })));
  expect(results.map((result) => (result.kind === "ok" ? result.value : result.code))).toEqual(
    Array.from({ length: 200 }, (_, n) => n * 2),
  );
});

test("200 calls at once with the default queue each end with their answer or BUSY, and none is lost", async () => {
  const runtime = await openTestRuntime(makeFolder(files), makeHome());
  const results = await Promise.all(Array.from({ length: 200 }, (_, n) => runtime.run("double", { n })));
  const odd = results.filter((result, n) => !(result.kind === "ok" ? result.value === n * 2 : result.code === "BUSY"));
  expect(odd).toEqual([]);
  const busy = results.filter((result) => result.kind === "error").length;
  // 16 run and 64 wait; what comes beyond that while none has ended is refused.
  expect(busy).toBeGreaterThan(0);
  expect(results.length - busy).toBeGreaterThanOrEqual(80);
  const logged = runtime.logged.filter((line) => line.includes('"tool.call.done"')).length;
  expect(logged).toBe(200);
});

test("two servers on one workspace do not disturb each other", async () => {
  const root = makeFolder(files);
  const home = makeHome();
  const [first, second] = await Promise.all([openTestRuntime(root, home, { watch: true }), openTestRuntime(root, home, { watch: true })]);
  const calls = Array.from({ length: 20 }, (_, n) => Promise.all([first.run("double", { n }), second.run("double", { n })]));
  for (const pair of await Promise.all(calls)) expect(pair.map((result) => result.kind)).toEqual(["ok", "ok"]);
  putFiles(root, { "scripts/double.js": "async function main() { return g.tool.args.n * 20 }" });
  expect(await first.run("double", { n: 1 })).toMatchObject({ kind: "ok", value: 20 });
  expect(await second.run("double", { n: 1 })).toMatchObject({ kind: "ok", value: 20 });
  await first[Symbol.asyncDispose]();
  expect(await second.run("double", { n: 2 })).toMatchObject({ kind: "ok", value: 40 });
});

test("a limit of the workspace that changes while it is served holds for the next calls", async () => {
  const root = makeFolder(files);
  const runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("double", { n: 1 })).toMatchObject({ kind: "ok" });
  putFiles(root, { "toolyard.json": { limits: { concurrentCalls: 1, queuedCalls: 0 } } });
  const results = await Promise.all([runtime.run("double", { n: 1 }), runtime.run("double", { n: 2 })]);
  expect(results.map((result) => (result.kind === "ok" ? result.value : result.code))).toEqual([2, "BUSY"]);
});

test("taking the agents out of a workspace while it is served opens nothing", async () => {
  const root = makeFolder({ ...files, "toolyard.json": { agents: [{ agentId: "ops" }] } });
  const runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("double", { n: 1 })).toMatchObject({ kind: "error", code: "DENIED" });
  putFiles(root, { "toolyard.json": {} });
  expect(await runtime.run("double", { n: 1 })).toMatchObject({ kind: "error", code: "DENIED" });
});

test("the first call after a broken edit says that it is broken, and one during a slow save gets what was saved", async () => {
  const root = makeFolder(files);
  const runtime = await openTestRuntime(root, makeHome());
  expect(await runtime.run("double", { n: 1 })).toMatchObject({ kind: "ok", value: 2 });
  putFiles(root, { "scripts/double.js": "async function main() { return ((" });
  expect(await runtime.run("double", { n: 1 })).toMatchObject({
    kind: "error",
    code: "TOOL_BROKEN",
    data: { problem: { code: "SYNTAX", line: 1 } },
  });
  putFiles(root, { "scripts/double.js": "async function main() { return 3 }" });
  expect(await runtime.run("double", { n: 1 })).toMatchObject({ kind: "ok", value: 3 });
  putFiles(root, { "scripts/double.js": "async function main() { retu" });
  const early = runtime.run("double", { n: 1 });
  putFiles(root, { "scripts/double.js": "async function main() { return 4 }" });
  expect(await early).toMatchObject({ kind: "ok", value: 4 });
});
