import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import type { PublishNote } from "../../src/schema/publish/notes.ts";
import { publishOutput, publishSchema } from "../../src/schema/publish-schema.ts";
import { checkSchema, createMetaSchemas, type SchemaIssue } from "../../src/schema/schema-check.ts";
import { ownGroups, referenceGroups, referenceOutputs, type SchemaCase } from "./fixtures.ts";

const metaSchemas = createMetaSchemas();

function check(schema: JsonObject, root: "object" | "any" = "object"): readonly SchemaIssue[] {
  return checkSchema(schema, { metaSchemas, root });
}

function errorsOf(issues: readonly SchemaIssue[]): readonly string[] {
  return issues.filter(({ severity }) => severity !== "warning").map(({ message }) => message);
}

type Snapshot = JsonObject;

/** What the snapshot of one case holds: what is wrong, or the published schema and what was done; how often, where it means the same. */
function shown({ name, schema }: SchemaCase): Snapshot {
  const issues = check(schema);
  const errors = errorsOf(issues);
  if (errors.length > 0) return { name, broken: errors };
  const { published, notes } = publishSchema(schema);
  const warnings = issues.map(({ message }) => message);
  return { name, ...(warnings.length > 0 ? { warnings } : {}), notes: told(notes), published };
}

function told(notes: readonly PublishNote[]): readonly JsonValue[] {
  const counts = new Map<string, number>();
  const others: JsonValue[] = [];
  for (const note of notes) {
    if (note.kind === "inlined" || note.kind === "removed" || note.kind === "modernized")
      counts.set(note.kind, (counts.get(note.kind) ?? 0) + 1);
    else others.push({ ...note });
  }
  return [...[...counts].map(([kind, count]): JsonValue => `${kind}: ${count}`), ...others];
}

const groups = ownGroups().filter(({ group }) => group !== "outputs");

test.each(groups)("schemas of our own are published as their snapshot says: $group", async ({ group, cases }) => {
  await expect(text(cases.map(shown))).toMatchFileSnapshot(`../fixtures/schemas/published/own-${group}.json`);
});

test("there are at least sixty cases of our own, and all can be used", () => {
  const cases = groups.flatMap((group) => group.cases);
  expect(cases.length).toBeGreaterThanOrEqual(60);
  expect(cases.flatMap(({ schema }) => errorsOf(check(schema)))).toEqual([]);
});

test("schemas of results are published as their snapshot says", async () => {
  const outputs = ownGroups().find(({ group }) => group === "outputs")?.cases ?? [];
  expect(outputs.flatMap(({ schema }) => errorsOf(check(schema, "any")))).toEqual([]);
  const shownOutputs = outputs.map(({ name, schema }) => {
    const { published = null, notes } = publishOutput(schema);
    return { name, notes: told(notes), published };
  });
  await expect(text(shownOutputs)).toMatchFileSnapshot("../fixtures/schemas/published/own-outputs.json");
});

test.each(referenceGroups())("schemas of real tools are published as their snapshot says: $group", async ({ group, cases }) => {
  await expect(text(cases.map(shown))).toMatchFileSnapshot(`../fixtures/schemas/published/reference-${group}.json`);
});

/** What every client may rely on. */
test.each([...groups, ...referenceGroups()])("nothing is left that a client must resolve, fetch or refuse: $group", ({ cases }) => {
  for (const { name, schema } of cases) {
    if (errorsOf(check(schema)).length > 0) continue;
    const { published } = publishSchema(schema);
    expect({ name, type: published.type }).toEqual({ name, type: "object" });
    expect(published.properties).toBeTypeOf("object");
    const refused = [
      "anyOf",
      "oneOf",
      "allOf",
      "not",
      "if",
      "then",
      "else",
      "enum",
      "const",
      "dependentSchemas",
      "$schema",
      "$id",
      "$defs",
      "definitions",
    ];
    expect(Object.keys(published).filter((key) => refused.includes(key))).toEqual([]);
    const everywhere = JSON.stringify(published, (key, value) => (key === "default" || key === "examples" ? undefined : value));
    expect(everywhere).not.toMatch(/"\$(?:ref|id|anchor|dynamicRef|dynamicAnchor|recursiveRef|schema|defs)":/);
    expect(errorsOf(check(published))).toEqual([]);
    expect(JSON.stringify(publishSchema(published).published)).toBe(JSON.stringify(published));
  }
});

test("schemas of real results can be published", () => {
  for (const { schema } of referenceOutputs()) {
    if (errorsOf(check(schema, "any")).length > 0) continue;
    expect(JSON.stringify(publishOutput(schema).published ?? {})).not.toMatch(/"\$ref":/);
  }
});

/** JSON with a line for each case, note, keyword of the root and property of the root. */
function text(cases: readonly Snapshot[]): string {
  return `[\n${cases.map((one) => members(one, 1)).join(",\n")}\n]\n`;
}

function members(value: JsonObject, level: number): string {
  const indent = " ".repeat(level);
  const lines = Object.entries(value).map(([key, item]) => {
    const isOpened = level < 3 && ["published", "notes", "properties"].includes(key);
    if (isOpened && Array.isArray(item))
      return `${indent} "${key}": [${item.map((part) => `\n${indent}  ${JSON.stringify(part)}`).join(",")}]`;
    return `${indent} ${JSON.stringify(key)}: ${isOpened && isJsonObject(item) ? members(item, level + 1).trimStart() : JSON.stringify(item)}`;
  });
  return lines.length === 0 ? `${indent}{}` : `${indent}{\n${lines.join(",\n")}\n${indent}}`;
}
