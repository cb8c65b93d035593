import { expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { createValidatorCache } from "./validators.ts";

const schema = (): JsonObject => ({ type: "object", properties: { $n: { type: "integer" } }, anyOf: [{ required: ["$n"] }, {}] });

test("what was made of a schema is made once, and of an equal schema of another tool apart", () => {
  const cache = createValidatorCache();
  const [parameters, other] = [schema(), schema()];
  expect(cache.arguments(parameters)).toBe(cache.arguments(parameters));
  expect(cache.output(parameters)).toBe(cache.output(parameters));
  expect(cache.published({ parameters }).parameters).toBe(cache.published({ parameters, output: other }).parameters);
  expect(cache.arguments(other)).not.toBe(cache.arguments(parameters));
});

test("a schema is compiled at the first check and not before: until then not even one that cannot be does harm", () => {
  const cache = createValidatorCache();
  const broken: JsonObject = { type: "object", properties: { a: { pattern: "(" } } };
  const reader = cache.arguments(broken);
  expect(() => reader.read({}, { repair: true })).toThrow(expect.objectContaining({ code: "TOOL_BROKEN" }));
});
