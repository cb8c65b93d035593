import { expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import type { Client, ClientRule, Demand, Effect } from "./client-rule.ts";
import { type PublishedTool, publishedTool } from "./published-tool.ts";
import { CLIENTS } from "./rules.ts";
import { judgeClients, type Verdict } from "./verdicts.ts";

const source = "https://example.com/rule";

function rule(demand: Demand, effect: Effect = "fails-all"): ClientRule {
  return { demand, effect, sources: [source] };
}

function client(names: Client["names"], ...rules: readonly ClientRule[]): Client {
  return { id: "some", title: "Some", names, rules };
}

function tool(name: string, more: Partial<PublishedTool> = {}): PublishedTool {
  return { name, description: "Does it.", inputSchema: { type: "object", properties: {} }, changes: [], ...more };
}

function judge(one: Client, ...tools: readonly PublishedTool[]): readonly (Verdict | undefined)[] {
  const [report] = judgeClients([one], tools, { server: "toolyard", ownTools: 3 });
  return tools.map(({ name }) => report?.verdicts.get(name));
}

/** Why a tool with these parameters is refused. */
function reasons(demand: Demand, inputSchema: JsonObject): readonly string[] {
  const [verdict] = judge(client({ prefix: "" }, rule(demand)), tool("t", { inputSchema }));
  return verdict?.kind === "refused" ? verdict.reasons.map(({ why }) => why) : [];
}

test("the length of a name counts with what the client puts before it", () => {
  const one = client({ prefix: "mcp__{server}__" }, rule({ kind: "name-length", max: 64 }));
  expect(judge(one, tool("n".repeat(49)), tool("m".repeat(50)))).toEqual([
    { kind: "as-is" },
    {
      kind: "refused",
      reasons: [
        {
          effect: "fails-all",
          why: 'the name has 65 characters with "mcp__toolyard__"; at most 64',
          mend: "Shorten it to 49.",
          sources: [source],
        },
      ],
    },
  ]);
});

test("a character that is not taken is named with the name to use, or said to be changed where the client changes it", () => {
  const demand: Demand = { kind: "name-characters", allowed: "A-Za-z0-9_-" };
  const refused = judge(client({ prefix: "" }, rule(demand)), tool("docs.find"))[0];
  expect(refused).toMatchObject({ kind: "refused", reasons: [{ why: 'the name has "."', mend: "Name it docs_find." }] });
  const changed = judge(client({ prefix: "", kept: "A-Za-z0-9_-" }, rule(demand, "changed")), tool("docs.find"))[0];
  expect(changed).toEqual({ kind: "changed", how: ['"." becomes "_" in the name'] });
});

test("no tool is told to take the name of another one", () => {
  const one = client({ prefix: "" }, rule({ kind: "name-characters", allowed: "A-Za-z0-9_-" }));
  const [refused] = judge(one, tool("docs.find"), tool("docs_find"));
  expect(refused).toMatchObject({ kind: "refused", reasons: [{ mend: 'Rename it; "docs_find" is there already.' }] });
});

test("the first character is judged by itself", () => {
  const one = client({ prefix: "" }, rule({ kind: "name-start", allowed: "A-Za-z_" }));
  expect(judge(one, tool("9lives"), tool("_lives"), tool("li9es")).map((verdict) => verdict?.kind)).toEqual(["refused", "as-is", "as-is"]);
});

test("two tools that become one for a client are both told, one that stays apart is not", () => {
  const one = client({ prefix: "", kept: "A-Za-z0-9_" }, rule({ kind: "names-apart" }, "left-out"));
  expect(judge(one, tool("a.b"), tool("a_b"), tool("ab")).map((verdict) => verdict?.kind)).toEqual(["refused", "refused", "as-is"]);
  const cutting = client({ prefix: "", cut: { max: 7, head: 3, tail: 3, joint: "." } }, rule({ kind: "names-apart" }, "left-out"));
  expect(judge(cutting, tool("create_page_with"), tool("crelete_page_with")).map((verdict) => verdict?.kind)).toEqual([
    "refused",
    "refused",
  ]);
});

test("schemas are judged at every depth, and what only looks like a keyword is none", () => {
  const keys: Demand = { kind: "property-keys", allowed: "A-Za-z0-9_.-", max: 8 };
  expect(
    reasons(keys, { type: "object", properties: { a: { items: { properties: { "uids[]": {}, ok: {}, "far-too-long": {} } } } } }),
  ).toEqual(['parameters are named "uids[]", "far-too-long"']);
  expect(reasons(keys, { type: "object", properties: { a: { enum: [{ properties: { "uids[]": 1 } }] } } })).toEqual([]);
  const arrays: Demand = { kind: "array-items" };
  expect(reasons(arrays, { type: "object", properties: { a: { type: ["array", "null"] } } })).toEqual([
    "an array says nothing of its elements (a)",
  ]);
  expect(reasons(arrays, { type: "object", properties: { a: { type: "array", items: {} }, type: { const: "array" } } })).toEqual([]);
  expect(reasons({ kind: "text-enums" }, { type: "object", properties: { a: { anyOf: [{ enum: ["x"] }, { enum: [1] }] } } })).toEqual([
    'an "enum" has values that are no text (a/anyOf/1)',
  ]);
  const typed: Demand = { kind: "typed-parameters" };
  const odd = { type: "object", properties: { a: { items: { properties: { b: { description: "any" } } } }, c: {} } };
  expect(reasons(typed, odd)).toEqual(['a parameter has no "type" (a and 2 more)']);
  expect(reasons(typed, { type: "object", properties: { a: { anyOf: [{}] }, b: { type: "array", items: {} } } })).toEqual([]);
  const top: Demand = { kind: "no-top-keys", keys: ["constructor"] };
  expect(reasons(top, { type: "object", properties: Object.fromEntries([["constructor", {}]]) })).toEqual([
    'a parameter is named "constructor"',
  ]);
  expect(reasons(top, { type: "object", properties: { a: { properties: Object.fromEntries([["constructor", {}]]) } } })).toEqual([]);
  expect(reasons({ kind: "root-without", keywords: ["anyOf"] }, { type: "object", anyOf: [] })).toEqual([
    '"parameters" has anyOf at the top',
  ]);
  expect(reasons({ kind: "root-without", keywords: ["anyOf"] }, { type: "object", properties: { a: { anyOf: [] } } })).toEqual([]);
});

test("a long description, a text in the name and too many tools are judged", () => {
  const one = client(
    { prefix: "" },
    rule({ kind: "description-length", max: 10 }, "changed"),
    rule({ kind: "name-without", text: "__" }, "left-out"),
    rule({ kind: "tool-count", max: 4 }),
  );
  const tools = [tool("a", { description: "x".repeat(11) }), tool("b__c")];
  const [report] = judgeClients([one], tools, { server: "toolyard", ownTools: 3 });
  expect(report?.verdicts.get("a")).toEqual({ kind: "changed", how: ["the description ends after 10 characters"] });
  expect(report?.verdicts.get("b__c")).toMatchObject({ kind: "refused", reasons: [{ effect: "left-out", mend: "Name it b_c." }] });
  expect(report?.tooMany).toEqual({ max: 4, effect: "fails-all", sources: [source] });
});

test("the rules of a schema that stand in the description of its tool count as part of it", () => {
  const parameters = { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
  const one = client({ prefix: "" }, rule({ kind: "description-length", max: 40 }));
  const made = publishedTool({ name: "t", description: "x".repeat(30), parameters });
  expect(made.description).toBe(`${"x".repeat(30)}\nGive at least one of: "a"; "b".`);
  expect(judge(one, made)[0]).toMatchObject({ kind: "refused", reasons: [{ why: "the description has 62 characters; at most 40" }] });
});

test("what publishing changed is told for every client", () => {
  const changed = tool("a", { changes: ["$ref is inlined"] });
  for (const { verdicts } of judgeClients(CLIENTS, [changed], { server: "toolyard", ownTools: 3 })) {
    expect(verdicts.get("a")).toEqual({ kind: "changed", how: ["$ref is inlined"] });
  }
});

test("what publishing changed of the schema of results is told too, also where clients get none of it", () => {
  const changes = (output: JsonObject): readonly string[] => publishedTool({ name: "t", description: "x", parameters: {}, output }).changes;
  const city = { type: "object", properties: { name: { type: "string" } } };
  expect(changes(city)).toEqual([]);
  expect(changes({ $schema: "https://json-schema.org/draft/2020-12/schema", ...city })).toEqual([]);
  expect(changes({ type: "object", properties: { at: { $ref: "#/$defs/city" } }, $defs: { city } })).toEqual([
    'in "output", references are written out',
  ]);
  expect(changes({ ...city, anyOf: [{ required: ["name"] }, { required: ["id"] }] })).toEqual([
    'in "output", "anyOf" at the top is one object; the rule is in the description and still holds',
  ]);
  expect(changes({ type: "array", items: city })).toEqual([`in "output", clients before 2026-07-28 get results as {"result": …}`]);
  expect(changes({ type: "object", properties: { "@odata.count": { type: "integer" } } })).toEqual([
    '"output" is not published, since model services refuse a key named "@odata.count"; results are as they are',
  ]);
});

test("a plain tool is taken as it is by every client", () => {
  const plain = tool("weather", { inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } });
  for (const { client: one, verdicts, tooMany } of judgeClients(CLIENTS, [plain], { server: "toolyard", ownTools: 4 })) {
    expect([one.id, verdicts.get("weather"), tooMany]).toEqual([one.id, { kind: "as-is" }, undefined]);
  }
});
