// `run` and `serve` give the same result for the same call.
import { expect, inject, test } from "vitest";
import { CLIENT_KINDS, type ClientKind, connectClient } from "../support/mcp-clients.ts";
import { makeBench } from "./cli-process.ts";

const cli = inject("installedCli");

const tool = (name: string, more: object = {}): object => ({ name, description: "Answers", script: `${name}.js`, ...more });
const TOOLS = {
  "tools.json": {
    tools: [
      tool("object", { parameters: { type: "object", properties: { count: { type: "integer", minimum: 1 } }, required: ["count"] } }),
      tool("text"),
      tool("nothing"),
      tool("number", { output: { type: "number" } }),
      tool("mismatch", { output: { type: "string" } }),
      tool("long", { limits: { resultCharacters: 100 } }),
      tool("refuses"),
      tool("throws"),
      tool("slow", { timeout: 0.2 }),
      tool("locked", { headers: { "X-Key": "{{API_KEY}}" } }),
      tool("broken"),
    ],
  },
  "object.js": "function main() { return { list: [1, 'zwei', null], nested: { count: g.tool.args.count, text: 'ä\\u{1f600}\\n' } }; }\n",
  "text.js": "function main() { return 'two\\nlines \\u{1f600}'; }\n",
  "nothing.js": "function main() {}\n",
  "number.js": "function main() { return 42; }\n",
  "mismatch.js": "function main() { return 42; }\n",
  "long.js": "function main() { return { text: 'x'.repeat(1000) }; }\n",
  "refuses.js": "function main() { return g.result.fail('not today', { day: 'Monday' }); }\n",
  "throws.js": "function main() {\n  throw new TypeError('no');\n}\n",
  "slow.js": "function main() { while (true) {} }\n",
  "locked.js": "function main() { return 1; }\n",
  "broken.js": "function main( {\n",
};

/** Calls by what they show: success of each kind of value, failures of the script, of its limits, of the arguments. */
const CALLS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["object", { count: 2 }],
  ["object", { count: "three" }],
  ["object", { count: 0, conut: 1 }],
  ["object", {}],
  ["text", {}],
  ["nothing", {}],
  ["number", {}],
  ["mismatch", {}],
  ["long", {}],
  ["refuses", {}],
  ["throws", {}],
  ["slow", {}],
  ["locked", {}],
  ["broken", {}],
];

const OUTCOMES = [
  ...["ok", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "ok", "ok", "ok", "OUTPUT_MISMATCH", "ok"],
  ...["SCRIPT_ERROR", "SCRIPT_ERROR", "TIMEOUT", "SECRET_MISSING", "TOOL_BROKEN"],
];

test("run --json and a call by each client have the same text, structured content and error", { timeout: 120_000 }, async () => {
  using bench = makeBench(cli);
  bench.write(TOOLS);
  const runs = [];
  for (const [name, args] of CALLS) {
    const { code, stdout } = await bench.run(["run", name, "--args", JSON.stringify(args), "--json"]);
    runs.push({ name, args, code, ...JSON.parse(stdout) });
  }
  expect(runs.map(({ error }) => error?.code ?? "ok")).toEqual(OUTCOMES);
  for (const kind of CLIENT_KINDS) {
    await using client = await connectClient(kind, {
      kind: "stdio",
      command: process.execPath,
      args: [cli, "serve", "-w", bench.folder],
      env: { TOOLYARD_HOME: bench.home, TOOLYARD_LOG: "silent" },
    });
    for (const { name, args, code, text, structured, error } of runs) {
      const about = `${kind}: ${name} ${JSON.stringify(args)}`;
      const byClient = await client.call("ExecuteWorkspaceTool", { name, arguments: args });
      expect(code === 0, about).toBe(!byClient.isError);
      expect(withoutResultId(byClient.text), about).toBe(withoutResultId(error === undefined ? text : error.message));
      expect(withoutCallId(byClient.structured), about).toEqual(error === undefined ? wireForm(structured, kind) : { error });
    }
  }
});

/** Clients of 2025 know structured content as an object only; the SDK's server gives them a number as `{ result }`. */
function wireForm(structured: unknown, kind: ClientKind): unknown {
  return typeof structured === "number" && kind !== "sdk 2.x at 2026-07-28" ? { result: structured } : structured;
}

/** What is left out of a long result is kept under an id of its own. */
function withoutResultId(text: string): string {
  return text.replace(/(?<=ReadWorkspaceResult \{"id":")[a-z0-9]+/, "");
}

/** Each call has an id of its own. */
function withoutCallId(structured: unknown): unknown {
  if (typeof structured !== "object" || structured === null || !("error" in structured)) return structured;
  const { callId, ...error } = structured.error as { readonly callId?: string }; // whatever it holds, it is compared as a whole
  expect(callId).toMatch(/^[0-9a-v]{26}$/);
  return { error };
}
