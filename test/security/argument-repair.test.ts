// Repair reads text that a model wrote as JSON: what that text must not do.
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { createArgumentReader } from "../../src/schema/repair/argument-reader.ts";
import { readLiteral } from "../../src/schema/repair/literal.ts";
import { compileValidator } from "../../src/schema/validator.ts";

const schema: JsonObject = {
  type: "object",
  properties: { options: { type: "object" }, list: { type: "array" }, n: { type: "integer" } },
};

function read(given: JsonObject): ReturnType<ReturnType<typeof createArgumentReader>["read"]> {
  return createArgumentReader(schema, { validator: compileValidator(schema, { applyDefaults: false }) }).read(given, { repair: true });
}

/** A copy as scripts and libraries make it: by assignment. */
function assigned(target: Record<string, unknown>, source: JsonObject): void {
  for (const [key, value] of Object.entries(source)) target[key] = value;
}

test("JSON text with a key that names a prototype would reach it in a copy, and is left as the text it was", () => {
  const text = '{"__proto__":{"isAdmin":true}}';
  const parsed = readLiteral(text, new Set(["object"]));
  const copy: Record<string, unknown> = {};
  assigned(copy, isJsonObject(parsed) ? parsed : {});
  expect(Reflect.get(copy, "isAdmin")).toBe(true);
  const outcome = read({ options: '{"a":{"__proto__":{"isAdmin":true}}}' });
  expect(outcome.ok || outcome.issues.map(({ path, expected }) => `${path}: ${expected}`)).toEqual(["options: an object"]);
});

test("keys that every object inherits are data: what is read of them is own, and no prototype changes", () => {
  const outcome = read({ options: '{"constructor":{"prototype":{"isAdmin":true}},"toString":1}' });
  expect(outcome.ok && JSON.stringify(outcome.value)).toBe('{"options":{"constructor":{"prototype":{"isAdmin":true}},"toString":1}}');
  const copy: Record<string, unknown> = {};
  assigned(copy, outcome.ok && isJsonObject(outcome.value.options) ? outcome.value.options : {});
  expect([Object.hasOwn(copy, "constructor"), Reflect.get({}, "isAdmin"), Reflect.get(Object, "isAdmin")]).toEqual([
    true,
    undefined,
    undefined,
  ]);
});

test("a value that JavaScript would change is not read: an identifier must not become its neighbour's", () => {
  const id = "9007199254740993";
  expect(Number(id)).toBe(9_007_199_254_740_992);
  expect(read({ n: id }).ok).toBe(false);
  expect(read({ options: `{"id":${id}}` }).ok).toBe(false);
  expect(read({ options: '{"to":"mine","to":"yours"}' }).ok).toBe(false);
});

test("the longest arguments cost a bounded time, whatever text they are made of", () => {
  const mebibyte = 1_048_576;
  const texts: readonly JsonValue[] = [
    "[".repeat(mebibyte),
    `${"[".repeat(mebibyte / 2)}${"]".repeat(mebibyte / 2)}`,
    `[${'"\\\\",'.repeat(mebibyte / 6)}0]`,
    `["${'\\"'.repeat(mebibyte / 2)}`,
    `[${"1,".repeat(mebibyte / 2)}1]`,
    `{${'"":0,'.repeat(mebibyte / 6)}"a":0}`,
    `-${"9".repeat(mebibyte)}`,
    `1e${"9".repeat(mebibyte)}`,
  ];
  for (const text of texts) {
    const started = performance.now();
    read({ list: text, options: text, n: text });
    expect(performance.now() - started).toBeLessThan(3_000);
  }
});
