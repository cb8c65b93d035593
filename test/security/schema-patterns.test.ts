// A model chooses the arguments and a workspace's author the patterns: together they must not stop the server.
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { MAX_CHECK_MS } from "../../src/schema/time-limit.ts";
import { compileValidator } from "../../src/schema/validator.ts";
import { makeHome, openTestRuntime } from "../support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../support/workspace-folder.ts";

/** Twenty-six letters keep an engine that backtracks busy for about a second, and each letter more doubles that. */
const LETTERS = 26;
const hostile = (letters: number): string => `${"a".repeat(letters)}!`;

/** Room for a machine that does other things at the same time. */
const SLACK_MS = 1_500;

function timed(check: () => unknown): number {
  const before = process.threadCpuUsage();
  check();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function timeOf(schema: JsonObject, value: JsonValue): number {
  const validator = compileValidator(schema, { applyDefaults: false });
  validator.validate({});
  return timed(() => expect(validator.validate(value).ok).toBe(false));
}

test("on the engine of JavaScript such a pattern doubles its time with each letter; on ours it takes none", () => {
  const pattern = "^(a+)+$";
  const expression = new RegExp(pattern);
  // The first tries are interpreted, which is slower.
  for (let tries = 0; tries < 5; tries++) expression.test(hostile(16));
  const [less, more] = [timed(() => expression.test(hostile(LETTERS - 6))), timed(() => expression.test(hostile(LETTERS)))];
  expect(more).toBeGreaterThan(less * 4);
  expect(timeOf({ properties: { a: { pattern } } }, { a: hostile(100_000) })).toBeLessThan(MAX_CHECK_MS);
});

test.each<[string, JsonObject, JsonValue]>([
  ["a pattern that only backtracking can try", { properties: { a: { pattern: "^(?=(a+)+$)" } } }, { a: hostile(60) }],
  [
    "many texts, each a little slow",
    { properties: { a: { items: { pattern: "^(?!x)(a|aa)+$" } } } },
    { a: Array(20_000).fill(hostile(22)) },
  ],
  ["a pattern of keys", { patternProperties: { "^(?=(a+)+$)": { type: "number" } } }, { [hostile(60)]: 1 }],
  [
    "a format whose own expression backtracks",
    { properties: { a: { type: "string", format: "url" } } },
    { a: `http://${"::".repeat(200_000)}` },
  ],
  [
    "a long list of objects that must all differ",
    { properties: { a: { uniqueItems: true } } },
    { a: Array.from({ length: 100_000 }, (_, i) => ({ i })) },
  ],
])("a check ends within its limit: %s", (_name, schema, value) => {
  expect(timeOf(schema, value)).toBeLessThan(MAX_CHECK_MS * 3 + SLACK_MS);
});

test("a call with such arguments is refused after one limit, whatever defaults and repair would try, and the next one works", async () => {
  const properties = { a: { type: "string", pattern: "^(?=(a+)+$)" }, n: { type: "integer", default: 1 }, m: { type: "integer" } };
  const parameters = { type: "object", properties };
  const runtime = await openTestRuntime(makeWorkspaceFolder([entry("slow", { parameters })]), makeHome());
  const before = process.threadCpuUsage();
  const refused = await runtime.run("slow", { a: hostile(60), m: "5" });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(MAX_CHECK_MS * 3 + SLACK_MS);
  expect(refused).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
  expect(await runtime.run("slow", { a: "aaa" })).toMatchObject({ kind: "ok", value: 1 });
  expect(runtime.engine.problems().map(({ code }) => code)).toEqual(["PATTERN_SLOW"]);
});

test("text that is too long for such a pattern is refused without trying it", () => {
  const outcome = compileValidator({ properties: { a: { pattern: "^(?!x)" } } }).validate({ a: "y".repeat(10_001) });
  expect(outcome).toEqual({
    ok: false,
    issues: [
      { path: "a", kind: "value", expected: "text of at most 10000 characters for the pattern ^(?!x)", found: "text of 10001 characters" },
    ],
  });
});

test("nothing is fetched for a schema that names addresses", async () => {
  const address = "http://127.0.0.1:9/schema.json";
  const tools = [
    entry("remote", { parameters: { $schema: address } }),
    entry("reference", { parameters: { properties: { a: { $ref: address } } } }),
    entry("good"),
  ];
  const runtime = await openTestRuntime(makeWorkspaceFolder(tools), makeHome());
  const listed = runtime.engine.list({ agent: "default", origin: "mcp" }).filter(({ role }) => role === "tools");
  expect(listed.map(({ name, status }) => [name, status.kind])).toEqual([
    ["good", "ready"],
    ["remote", "broken"],
    ["reference", "broken"],
  ]);
});
