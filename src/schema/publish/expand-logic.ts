/** Keywords that combine schemas. Where one would turn around, or count, what was widened below it, it is widened itself or left out. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type ExpandPlace, type ExpandRun, type KeywordParts, placeBelow } from "./expand-run.ts";
import { asObject, isOpen, type PlainSchema } from "./forms.ts";

/** `not`: left out where what it forbids was widened, since it would forbid more then. */
export function expandNot(value: JsonValue, place: ExpandPlace, run: ExpandRun): JsonObject {
  const { value: inner, isWider } = run.book.watch(() => run.expand(value, place));
  if (inner === false) return {};
  if (isWider) {
    run.book.add({ kind: "loosened", pointer: place.pointer, keyword: "not" });
    return {};
  }
  return { not: isOpen(inner) ? {} : asObject(inner) };
}

/** `if`, `then` and `else` together; left out where the condition was widened. */
export function expandConditions(schema: JsonObject, place: ExpandPlace, run: ExpandRun): KeywordParts {
  const branch = (keyword: "then" | "else"): PlainSchema | boolean =>
    schema[keyword] === undefined ? true : run.expand(schema[keyword], placeBelow(place, keyword));
  const { value: condition, isWider } = run.book.watch(() => run.expand(schema.if ?? true, placeBelow(place, "if")));
  if (isWider) {
    run.book.add({ kind: "loosened", pointer: place.pointer, keyword: "if" });
    return {};
  }
  if (condition === false) return { beside: [branch("else")] };
  if (isOpen(condition)) return { beside: [branch("then")] };
  const told = (["then", "else"] as const).map((keyword) => [keyword, branch(keyword)] as const).filter(([, inner]) => !isOpen(inner));
  if (told.length === 0) return {};
  return { own: { if: asObject(condition), ...Object.fromEntries(told.map(([keyword, inner]) => [keyword, asObject(inner)])) } };
}

/** `anyOf` and `oneOf`; a `oneOf` whose branches were widened becomes an `anyOf`. */
export function expandAlternatives(
  keyword: "anyOf" | "oneOf",
  branches: readonly JsonValue[],
  below: (...parts: readonly number[]) => ExpandPlace,
  run: ExpandRun,
): KeywordParts {
  const { value: expanded, isWider } = run.book.watch(() => branches.map((branch, index) => run.expand(branch, below(index))));
  const possible = expanded.filter((branch) => branch !== false).map(asObject);
  const [only] = possible;
  if (only === undefined) return { beside: [false] };
  if (possible.length === 1) return { beside: [only] };
  const isLoose = keyword === "oneOf" && isWider;
  if (isLoose) run.book.add({ kind: "loosened", pointer: below().pointer, keyword });
  if (keyword === "oneOf" && !isLoose) return { own: { oneOf: possible } };
  // Beside, since the schema may have an anyOf of its own.
  return possible.every(isOpen) ? {} : { beside: [{ anyOf: possible }] };
}

/** `contains` with its counts; the upper one is left out where what it counts was widened. */
export function expandContains(schema: JsonObject, place: ExpandPlace, run: ExpandRun): JsonObject {
  const { minContains, maxContains } = run.dialect.startsWith("draft") ? {} : schema;
  const { value: inner, isWider } = run.book.watch(() => run.expand(schema.contains ?? true, place));
  if (isWider && maxContains !== undefined) run.book.add({ kind: "loosened", pointer: place.pointer, keyword: "maxContains" });
  return {
    contains: asObject(inner),
    ...(minContains === undefined ? {} : { minContains }),
    ...(maxContains === undefined || isWider ? {} : { maxContains }),
  };
}
