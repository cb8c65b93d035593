import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { allDialects, type Dialect, META_SCHEMA_PATHS } from "../../src/schema/dialect-name.ts";
import { checkSchema, createMetaSchemas } from "../../src/schema/schema-check.ts";
import { compileValidator } from "../../src/schema/validator.ts";
import { DISAGREEMENTS } from "./test-suite-disagreements.ts";

const metaSchemas = createMetaSchemas();

interface Outcome {
  /** `file: group`. */
  readonly group: string;
  readonly agreed: number;
  readonly wrong: readonly string[];
}

test.each(allDialects())(
  "validation of %s agrees with the JSON Schema Test Suite, except for what is listed with its reason",
  (dialect) => {
    const outcomes = runSuite(dialect);
    const wrong = outcomes.filter((outcome) => outcome.wrong.length > 0).map(({ group }) => group);
    const listed = DISAGREEMENTS.filter(({ dialects }) => dialects.includes(dialect)).flatMap(({ groups }) => groups);
    const isListed = (group: string): boolean => listed.some((entry) => matches(entry, group));
    expect(wrong.filter((group) => !isListed(group))).toEqual([]);
    // What agrees by now must leave the list.
    expect(listed.filter((entry) => !wrong.some((group) => matches(entry, group)))).toEqual([]);
  },
);

test("nearly all of the suite agrees", () => {
  const outcomes = allDialects().flatMap(runSuite);
  const agreed = outcomes.reduce((sum, outcome) => sum + outcome.agreed, 0);
  const wrong = outcomes.reduce((sum, outcome) => sum + outcome.wrong.length, 0);
  expect(agreed).toBeGreaterThan(5_300);
  expect(wrong / (agreed + wrong)).toBeLessThan(0.06);
});

/** An entry is a group's name, or a file's with `*` for all of its groups. */
function matches(entry: string, group: string): boolean {
  return entry.endsWith("*") ? group.startsWith(entry.slice(0, -1)) : entry === group;
}

function runSuite(dialect: Dialect): readonly Outcome[] {
  const suite: unknown = JSON.parse(readFileSync(new URL(`../fixtures/json-schema-test-suite/${dialect}.json`, import.meta.url), "utf8"));
  if (!isJsonObject(suite)) throw new Error("The suite is no object.");
  return Object.entries(suite).flatMap(([file, groups]) =>
    (Array.isArray(groups) ? groups.filter(isJsonObject) : []).map((group) => runGroup(file, group, dialect)),
  );
}

function runGroup(file: string, { description, schema, tests }: JsonObject, dialect: Dialect): Outcome {
  const cases = Array.isArray(tests) ? tests.filter(isJsonObject) : [];
  const judge = judgeOf(schema ?? true, dialect);
  const wrong = cases.filter(({ data, valid }) => judge(data ?? null) !== valid).map((one) => String(one.description));
  return { group: `${file}: ${String(description)}`, agreed: cases.length - wrong.length, wrong };
}

/** What we say about a value: whether it fits, or the reason why nothing is said. */
function judgeOf(schema: JsonValue, dialect: Dialect): (value: JsonValue) => boolean | string {
  const secure = dialect.startsWith("draft") ? "http" : "https";
  const $schema = `${secure}://json-schema.org/${META_SCHEMA_PATHS[dialect]}${dialect.startsWith("draft") ? "#" : ""}`;
  const whole = isJsonObject(schema) ? { $schema, ...schema } : schema;
  const errors = checkSchema(whole, { metaSchemas, root: "any" }).filter(({ severity }) => severity !== "warning");
  if (errors.length > 0 || (!isJsonObject(whole) && typeof whole !== "boolean")) return () => errors[0]?.message ?? "no schema";
  const validator = compileValidator(whole, { applyDefaults: false });
  return (value) => {
    try {
      return validator.validate(value).ok;
    } catch (error) {
      return error instanceof Error ? error.message : "no error";
    }
  };
}
