// A sample of the hostile scripts of our own through the installed command: one server over stdio, each script in both modes of isolation.
import { expect, inject, test } from "vitest";
import { isJsonObject, type JsonValue } from "../../src/core/json.ts";
import { MODES, readOwnScript } from "../hostile/own-scripts.ts";
import { connectClient } from "../support/mcp-clients.ts";
import { makeBench } from "./cli-process.ts";
import { stdioTarget } from "./installed-workspace.ts";

const cli = inject("installedCli");

/** One of each kind of end: limits of time and memory, after the answer, refusals, and values that show what was not reached. */
const SAMPLE = [
  "cpu/loop-in-timer.js",
  "cpu/microtasks-after-return.js",
  "cpu/timers-by-cancelling.js",
  "memory/strings.js",
  "memory/buffer-uncaught.js",
  "memory/doubles-at-once.js",
  "escape/callee-of-arguments.js",
  "escape/caller-of-a-getter.js",
  "escape/this-of-plain-call.js",
  "border/deep-list.js",
];

const names = (file: string, mode: string): string => `${file.replace(/\W/g, "_")}_${mode}`;

test("hostile scripts through a real server end as they must, and it answers the next call each time", { timeout: 120_000 }, async () => {
  using bench = makeBench(cli);
  const scripts = SAMPLE.map(readOwnScript);
  const tools = scripts.flatMap(({ file, limitMs }) =>
    MODES.map((isolation) => ({ name: names(file, isolation), description: file, script: file, timeout: limitMs / 1_000, isolation })),
  );
  bench.write({
    "tools.json": { tools: [...tools, { name: "next", description: "Answers", script: "next.js" }] },
    "next.js": "function main() { return 1; }\n",
    ...Object.fromEntries(scripts.map(({ file, source }) => [file, source])),
  });
  await using client = await connectClient("sdk 2.x at 2026-07-28", stdioTarget(cli, { bench }));
  const call = async (name: string): Promise<unknown> => {
    const { isError, structured, text } = await client.call("ExecuteWorkspaceTool", { name, arguments: {} });
    return isError ? { code: codeOf(structured) } : text;
  };
  const seen = [];
  const wanted = [];
  for (const { file, expectations } of scripts) {
    for (const { mode, outcome } of expectations) {
      seen.push([file, mode, await call(names(file, mode)), await call("next")]);
      wanted.push([file, mode, shown(outcome), "1"]);
    }
  }
  expect(seen).toEqual(wanted);
});

/** A value is shown as text, an error has its code. */
function shown(outcome: JsonValue): JsonValue {
  if (!isJsonObject(outcome) || outcome.value === undefined) return outcome;
  return typeof outcome.value === "string" ? outcome.value : JSON.stringify(outcome.value);
}

function codeOf(structured: unknown): unknown {
  if (typeof structured !== "object" || structured === null || !("error" in structured)) return undefined;
  const { error } = structured;
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
