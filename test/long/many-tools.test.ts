// A thousand tools: the start must not wait for what only calls need. The built command, from its start to the list. Here and not
// in npm test, since beside other work the processor's share of the longer start is another one.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type CliBench, makeBench } from "../e2e/cli-process.ts";
import { INITIALIZE, legacyMessage, notification } from "../support/mcp-http.ts";
import { writeEvidence } from "./evidence.ts";

const cli = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const STARTS = 6;

function benchWith(count: number): CliBench {
  const bench = makeBench(cli);
  onTestFinished(() => bench[Symbol.dispose]());
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool-${index}`,
    description: `Does ${index}`,
    script: `scripts/tool-${index}.js`,
    parameters: {
      type: "object",
      properties: { keyword: { type: "string", description: `Word ${index}` }, max: { type: "integer", default: 10 } },
      required: ["keyword"],
    },
  }));
  const scripts = tools.map(({ script }, index) => [script, `async function main() { return ${index}; }\n`]);
  bench.write({ "tools.json": { tools }, ...Object.fromEntries(scripts) });
  return bench;
}

/** Milliseconds from the start of the process to the answer with this many tools of the workspace. */
async function startMs(bench: CliBench, count: number): Promise<number> {
  const begun = performance.now();
  const child = bench.start(["serve"], { env: { TOOLYARD_LOG: "silent" } });
  child.stderr.resume();
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(legacyMessage("initialize", INITIALIZE, 0));
  let tookMs = Number.NaN;
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id === 0) {
      send(notification("notifications/initialized"));
      send(legacyMessage("tools/list", {}, 1));
    }
    if (id !== 1) continue;
    tookMs = performance.now() - begun;
    const own = result.tools.filter(({ name }: { readonly name: string }) => name.startsWith("tool-"));
    expect(own).toHaveLength(count);
    child.stdin.end();
  }
  if (child.exitCode === null) await once(child, "exit");
  return tookMs;
}

test("from the start to the list, a thousand tools take less than twice as long as ten", { timeout: 120_000 }, async () => {
  const [few, many] = [benchWith(10), benchWith(1_000)];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Taken in turns, and of each the quickest: what else the machine does must not decide.
  for (let start = 0; start < STARTS; start++) {
    least = Math.min(least, await startMs(few, 10));
    most = Math.min(most, await startMs(many, 1_000));
  }
  writeEvidence("many-tools", {
    tenToolsMs: Math.round(least),
    thousandToolsMs: Math.round(most),
    ratio: Number((most / least).toFixed(2)),
  });
  expect(most / least).toBeLessThan(2);
});
