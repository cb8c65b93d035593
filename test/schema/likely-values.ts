/**
 * Values that are likely to fit a schema: of random ones nearly all fail at the root, and then a test of what is accepted
 * has nothing to look at.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { listAt, mapAt, textsAt } from "../../src/schema/publish/forms.ts";

/** Gives whole numbers from 0 up to, but not including, `below`. */
type Dice = (below: number) => number;

interface Making {
  readonly root: JsonObject;
  readonly dice: Dice;
}

const LITERALS: readonly JsonValue[] = [
  null,
  true,
  0,
  1,
  2.5,
  -3,
  3,
  "",
  "a",
  "abc",
  "x",
  "$",
  "é",
  [],
  ["a", 1],
  {},
  { a: 1 },
  { $c: "a" },
];
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
const MAX_DEPTH = 5;

/**
 * Arguments for a schema whose root is an object: likely ones, and every third with something exchanged somewhere.
 * All choices are made by `numbers`, which are used again from the start when they end.
 */
export function likelyArguments(root: JsonObject, numbers: readonly number[], count: number): readonly JsonObject[] {
  let at = 0;
  const dice: Dice = (below) => ((numbers[at++ % numbers.length] ?? 0) + at) % below;
  const making: Making = { root, dice };
  return Array.from({ length: count }, (_, index) => {
    const value = objectFor(inForce([root], making), making, 0);
    const given = index % 3 === 2 ? exchanged(value, making) : value;
    return isJsonObject(given) ? given : value;
  });
}

function valueFor(schemas: readonly JsonValue[], making: Making, depth: number): JsonValue {
  const parts = inForce(schemas, making);
  const { dice } = making;
  const values = parts.flatMap((part) => [...listAt(part, "enum"), ...(part.const === undefined ? [] : [part.const])]);
  if (values.length > 0) return values[dice(values.length)] ?? null;
  if (depth > MAX_DEPTH) return null;
  const types = parts.flatMap(({ type, nullable }) => [type ?? [], nullable === true ? "null" : []].flat());
  switch (types.length > 0 ? types[dice(types.length)] : TYPES[dice(TYPES.length)]) {
    case "object":
      return objectFor(parts, making, depth);
    case "array":
      return arrayFor(parts, making, depth);
    case "string":
      return textFor(parts, dice);
    case "number":
      return [-3, 0, 1, 1.5, 2, 2.5, 3, 4][dice(8)] ?? 0;
    case "integer":
      return dice(5) - 1;
    case "boolean":
      return dice(2) === 0;
    case "null":
      return null;
    default:
      return LITERALS[dice(LITERALS.length)] ?? null;
  }
}

function objectFor(parts: readonly JsonObject[], making: Making, depth: number): JsonObject {
  const { dice } = making;
  const named = new Set(parts.flatMap((part) => Object.keys(mapAt(part, "properties"))));
  const required = new Set(parts.flatMap((part) => textsAt(part, "required")));
  const keys = [...new Set([...required, ...named])].filter((key) => required.has(key) || dice(3) > 0);
  // Now and then a key that no schema names.
  if (dice(4) === 0) keys.push(["a", "b", "c", "$c", "d e", "z"][dice(6)] ?? "z");
  return Object.fromEntries(
    keys.map((key) => [
      key,
      valueFor(
        parts.flatMap((part) => memberOf(part, key)),
        making,
        depth + 1,
      ),
    ]),
  );
}

function memberOf(part: JsonObject, key: string): readonly JsonValue[] {
  const properties = mapAt(part, "properties");
  const own = Object.hasOwn(properties, key) ? [properties[key] ?? true] : [];
  const patterns = Object.entries(mapAt(part, "patternProperties")).flatMap(([pattern, rule]) =>
    new RegExp(pattern, "u").test(key) ? [rule] : [],
  );
  const known = [...own, ...patterns];
  return known.length > 0 ? known : [part.additionalProperties ?? part.unevaluatedProperties ?? true];
}

function arrayFor(parts: readonly JsonObject[], making: Making, depth: number): JsonValue {
  const length = making.dice(5);
  return Array.from({ length }, (_, index) => {
    const rules = parts.flatMap((part) => listAt(part, "prefixItems")[index] ?? part.items ?? part.unevaluatedItems ?? []);
    const contained = parts.flatMap((part) => (making.dice(3) === 0 ? (part.contains ?? []) : []));
    return valueFor([...rules, ...contained], making, depth + 1);
  });
}

function textFor(parts: readonly JsonObject[], dice: Dice): string {
  const texts = ["", "a", "ab", "abc", "abcd", "x", "xe", "$", "é", "e"];
  const fit = texts.filter((text) => parts.every(({ pattern }) => typeof pattern !== "string" || new RegExp(pattern, "u").test(text)));
  return fit[dice(fit.length)] ?? "";
}

/** All schemas that judge the same value, with one branch of each list of alternatives; references are followed a few times. */
function inForce(schemas: readonly JsonValue[], { root, dice }: Making): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = listAt(schema, keyword).filter((branch) => branch !== false);
      waiting.push(branches[dice(Math.max(1, branches.length))] ?? true);
    }
    waiting.push(...listAt(schema, "allOf"));
    if (dice(2) === 0) waiting.push(schema.if ?? true, schema.then ?? true);
    else waiting.push(schema.else ?? true);
    if (dice(2) === 0) waiting.push(...Object.values(mapAt(schema, "dependentSchemas")));
    if (schema.$ref === "#") waiting.push(root);
    else if (typeof schema.$ref === "string") waiting.push(mapAt(root, "$defs")[schema.$ref.replace("#/$defs/", "")] ?? true);
  }
  return [...found];
}

/** The value with one part, at any depth, exchanged for something else or left out. */
function exchanged(value: JsonValue, making: Making): JsonValue {
  const { dice } = making;
  if (typeof value !== "object" || value === null || dice(3) === 0) return LITERALS[dice(LITERALS.length)] ?? null;
  if (!isJsonObject(value)) {
    const at = dice(value.length + 1);
    return at === value.length ? [...value, 1] : value.map((item, index) => (index === at ? exchanged(item, making) : item));
  }
  const keys = Object.keys(value);
  const key = keys[dice(Math.max(1, keys.length))] ?? "a";
  const { [key]: old = null, ...rest } = value;
  return dice(4) === 0 ? rest : { ...value, [key]: exchanged(old, making) };
}
