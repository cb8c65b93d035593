import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeHome } from "../../test/support/runtime.ts";
import { entry, makeFolder, openWorkspace, putFiles } from "../../test/support/workspace-folder.ts";
import { silentLog } from "../core/log.ts";
import { ScriptBundles } from "./bundle/script-bundles.ts";

const quick = (result: string): string => `export default (): string => "${result}";\n`;

/** Takes the bundler some twenty seconds. */
const SLOW = `async function main(): Promise<void> { ${Array.from({ length: 60_000 }, (_, index) => `a${index}:`).join("")}; }\n`;

test("a slow script is listed by its entry and keeps no other from its first call, and its edit does not wait for it", async () => {
  const root = makeFolder({ "tools.json": { tools: [entry("a", { script: "scripts/a.ts" })] }, "scripts/a.ts": quick("a") });
  const workspace = await openWorkspace(root, { watch: false });
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  putFiles(root, {
    "tools.json": {
      tools: [
        entry("slow", { script: "scripts/slow.ts", parameters }),
        entry("b", { script: "scripts/b.ts" }),
        entry("a", { script: "scripts/a.ts" }),
      ],
    },
    "scripts/slow.ts": SLOW,
    "scripts/b.ts": quick("b"),
    "scripts/a.ts": quick("a, edited"),
  });
  const sourceOf = (name: string): string | undefined => workspace.current().tools.find((tool) => tool.name === name)?.script.source;
  await workspace.refresh({ kind: "tool", name: "b" });
  expect(sourceOf("b")).toContain('"b"');
  await workspace.refresh({ kind: "tool", name: "a" });
  expect(sourceOf("a")).toContain('"a, edited"');
  await workspace.refresh({ kind: "list" });
  const { tools, broken, problems } = workspace.current();
  expect(tools.map(({ name, pending }) => [name, pending?.code])).toEqual([
    ["slow", "BUNDLING"],
    ["b", undefined],
    ["a", undefined],
  ]);
  expect([tools[0]?.parameters, broken, problems.map(({ severity, tool }) => [severity, tool])]).toEqual([
    parameters,
    [],
    [["warning", "slow"]],
  ]);
  // Its turn in the second lane begins when its time in the first is over.
  putFiles(root, { "scripts/slow.ts": quick("quick now") });
  await workspace.refresh({ kind: "tool", name: "slow" });
  expect(sourceOf("slow")).toContain('"quick now"');
  expect(workspace.current().problems).toEqual([]);
}, 15_000);

test("a kept bundle is there at the first look, whatever else is being made", async () => {
  const text = quick("kept");
  const root = makeFolder({ "scripts/a.ts": text, "scripts/b.ts": text });
  const cacheFolder = join(makeHome(), "cache");
  const needs = { maxBytes: 1_000_000, hardened: false };
  const sha256 = createHash("sha256").update(text).digest("hex");
  const open = (): ScriptBundles => new ScriptBundles({ root, log: silentLog, onDone: () => undefined, cacheFolder });
  const script = (file: string): Parameters<ScriptBundles["look"]>[0] => ({ file, sha256, text, language: "ts" });
  {
    await using first = open();
    expect(first.look(script("scripts/a.ts"), needs).kind).toBe("pending");
    await first.whenDone(["scripts/a.ts"], "all");
  }
  await using second = open();
  expect(second.look(script("scripts/b.ts"), needs).kind).toBe("pending");
  expect(second.look(script("scripts/a.ts"), needs).kind).toBe("good");
});
