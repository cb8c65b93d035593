import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { pathText } from "../value-path.ts";
import { createRuleReader, type Rule, type RuleReader } from "./rules.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** A value with defaults in it, and the paths where they stand. */
export interface FilledValue {
  readonly value: JsonValue;
  readonly filled: readonly string[];
}

/** How defaults are filled in. */
export interface FillOptions {
  /** Paths that stay empty. */
  readonly without: ReadonlySet<string>;
}

/**
 * A copy with the schema's defaults where members are missing, also in nested objects that are given and in defaults
 * themselves. Each copy has defaults of its own, so a script that changes one changes no other call.
 * Throws `TooManyAlternatives`.
 */
export function fillDefaults(root: JsonObject, value: JsonValue, index: SchemaIndex, { without }: FillOptions): FilledValue {
  const filled: string[] = [];
  const reader = createRuleReader(index);
  return { value: fillAt([root], value, { index, reader, filled, without, path: [], inside: new Set() }), filled };
}

interface FillContext {
  readonly index: SchemaIndex;
  readonly reader: RuleReader;
  readonly filled: string[];
  readonly without: ReadonlySet<string>;
  readonly path: readonly (string | number)[];
  /** Defaults that this place came from: one that holds itself would be filled in without end. */
  readonly inside: ReadonlySet<JsonValue>;
}

function fillAt(rule: Rule, value: JsonValue, context: FillContext): JsonValue {
  if (rule.length === 0 || typeof value !== "object" || value === null) return value;
  const { reader } = context;
  const expanded = reader.expand(rule, value);
  const below = (key: string | number, item: JsonValue, inside = context.inside): JsonValue =>
    fillAt(reader.part(expanded, value, key), item, { ...context, path: [...context.path, key], inside });
  if (!isJsonObject(value)) return value.map((item, position) => below(position, item));
  const result: Record<string, JsonValue> = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(key, item)]));
  for (const { properties } of expanded.schemas) {
    if (!isJsonObject(properties)) continue;
    for (const key of Object.keys(properties)) {
      if (Object.hasOwn(result, key)) continue;
      const standard = defaultOf(reader.part(expanded, value, key), context.index);
      const path = pathText([...context.path, key]);
      if (standard === undefined || context.without.has(path) || context.inside.has(standard)) continue;
      context.filled.push(path);
      const isNested = typeof standard === "object" && standard !== null;
      result[key] = isNested ? below(key, structuredClone(standard), new Set([...context.inside, standard])) : standard;
    }
  }
  return result;
}

/** The first default of schemas that all hold, and of what they refer to. */
function defaultOf(rule: Rule, index: SchemaIndex): JsonValue | undefined {
  const seen = new Set<JsonObject>();
  const waiting = rule.toReversed();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (!isJsonObject(next) || seen.has(next)) continue;
    seen.add(next);
    // A default says nothing about values, so it counts beside a reference in every dialect: it is written there to be used.
    if (next.default !== undefined) return next.default;
    const { allOf } = index.counting(next);
    waiting.push(...index.targetsOf(next), ...(Array.isArray(allOf) ? allOf : []));
  }
  return undefined;
}
