/**
 * What a schema says about a value and about each part of it, as far as it certainly holds for this value. Whatever
 * would need a check of the value itself (`not`, `if`, `contains`, patterns of keys) says nothing here.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { admittedKinds, kindOf, listOf } from "./admitted-types.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** Schemas that all hold for one value. */
export type Rule = readonly JsonValue[];

/** A rule with its references followed. */
export interface ExpandedRule {
  readonly schemas: readonly JsonObject[];
  /** Alternatives, each list with those of its branches that the value could still fit; more than one. */
  readonly choices: readonly Rule[];
}

/** Follows rules through one schema, within a number of steps: alternatives of alternatives grow without measure. */
export interface RuleReader {
  expand(rule: Rule, value: JsonValue): ExpandedRule;
  /** What holds for the member `key`, or the element `key`, of a value with this rule; empty if nothing is known. */
  part(rule: ExpandedRule, value: JsonValue, key: string | number): Rule;
}

/** Steps for one value; far more than real schemas need, and well under 0.1 s. */
const MAX_STEPS = 100_000;

/** Most alternatives told apart at one place. */
const MAX_BRANCHES = 32;

/** Thrown when the steps are used up. */
export class TooManyAlternatives extends Error {
  override readonly name = "TooManyAlternatives";
}

/** A reader for one value. */
export function createRuleReader(index: SchemaIndex): RuleReader {
  let steps = 0;
  const step = (): void => {
    if (++steps > MAX_STEPS) throw new TooManyAlternatives("too many alternatives to follow");
  };
  const walk: Walk = { index, step };
  return {
    expand: (rule, value) => expand(rule, value, walk),
    part: (rule, value, key) => part(rule, { value, key }, walk),
  };
}

interface Walk {
  readonly index: SchemaIndex;
  /** Counts a step. Throws `TooManyAlternatives`. */
  readonly step: () => void;
}

/** The member or element `key` of a value. */
interface Part {
  readonly value: JsonValue;
  readonly key: string | number;
}

function expand(rule: Rule, value: JsonValue, walk: Walk): ExpandedRule {
  const { index, step } = walk;
  const seen = new Set<JsonObject>();
  const schemas = new Set<JsonObject>();
  const choices: Rule[] = [];
  const waiting = rule.toReversed();
  while (waiting.length > 0) {
    step();
    const next = waiting.pop();
    if (!isJsonObject(next) || seen.has(next)) continue;
    seen.add(next);
    const schema = index.counting(next);
    schemas.add(schema);
    waiting.push(...index.targetsOf(next), ...listOf(schema.allOf), ...dependent(schema, value));
    for (const branches of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
      const possible = branches.filter((branch) => isPossible(branch, value, walk));
      if (possible.length === 1) waiting.push(...possible);
      else if (possible.length > 1) choices.push(possible);
    }
  }
  return { schemas: [...schemas], choices };
}

/** False for a branch that the value, as it stands, cannot fit: another kind, another constant, a missing or unknown key. */
function isPossible(branch: JsonValue, value: JsonValue, walk: Walk): boolean {
  walk.step();
  if (!admittedKinds([branch], walk.index).has(kindOf(value))) return false;
  if (!isJsonObject(value)) return true;
  return plainSchemas(branch, walk).every(({ required, properties, additionalProperties, patternProperties }) => {
    const known = isJsonObject(properties) ? properties : {};
    if (listOf(required).some((key) => typeof key === "string" && !Object.hasOwn(value, key) && !hasDefault(member(known, key))))
      return false;
    const keys = Object.keys(value);
    if (additionalProperties === false && patternProperties === undefined && keys.some((key) => !Object.hasOwn(known, key))) return false;
    return keys.every((key) => isSameConstant(member(known, key), value[key]));
  });
}

/** The schema with those that hold beside it in any case. */
function plainSchemas(branch: JsonValue, { index, step }: Walk): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [branch];
  while (waiting.length > 0) {
    step();
    const schema = waiting.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    waiting.push(...index.targetsOf(schema), ...listOf(index.counting(schema).allOf));
  }
  return [...found].map(index.counting);
}

function part(rule: ExpandedRule, place: Part, walk: Walk): Rule {
  const found: JsonValue[] = rule.schemas.flatMap((schema) => ownPart(schema, place.key));
  for (const branches of rule.choices) {
    const merged = mergedPart(branches, place, walk);
    if (merged !== undefined) found.push(merged);
  }
  return found;
}

/** What every branch says about the part, as one alternative of its own; undefined if one of them says nothing. */
function mergedPart(branches: Rule, place: Part, walk: Walk): JsonValue | undefined {
  if (branches.length > MAX_BRANCHES) return undefined;
  const alternatives = new Set<JsonValue>();
  for (const branch of branches) {
    const inner = part(expand([branch], place.value, walk), place, walk);
    if (inner.length === 0) return undefined;
    for (const schema of inner.length === 1 ? withoutReference(inner, walk.index) : [{ allOf: inner }]) alternatives.add(schema);
  }
  if (alternatives.size > MAX_BRANCHES) return undefined;
  const [first] = alternatives;
  return alternatives.size === 1 ? first : { anyOf: [...alternatives] };
}

/** A mere reference as what it leads to, so that the same target of several branches counts once. */
function withoutReference(schemas: Rule, index: SchemaIndex): Rule {
  return schemas.flatMap((schema) => {
    if (!isJsonObject(schema) || Object.keys(schema).length > 1) return [schema];
    const targets = index.targetsOf(schema);
    return targets.length === 1 ? targets : [schema];
  });
}

/** Schemas that hold because a key is given. */
function dependent(schema: JsonObject, value: JsonValue): Rule {
  if (!isJsonObject(value)) return [];
  return [schema.dependentSchemas, schema.dependencies]
    .filter(isJsonObject)
    .flatMap((rules) => Object.entries(rules).flatMap(([key, rule]) => (isJsonObject(rule) && Object.hasOwn(value, key) ? [rule] : [])));
}

function ownPart(schema: JsonObject, key: string | number): Rule {
  if (typeof key === "number") return element(schema, key);
  const { properties, patternProperties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) return defined(properties[key]);
  // Which keys a pattern means is a check of the value, and it may mean this one.
  return patternProperties === undefined ? defined(additionalProperties) : [];
}

function element(schema: JsonObject, position: number): Rule {
  const { prefixItems, items, additionalItems } = schema;
  if (Array.isArray(items)) return defined(position < items.length ? listOf(items)[position] : additionalItems);
  const first = listOf(prefixItems);
  return defined(position < first.length ? first[position] : items);
}

/** False if the schema names constants and this is none of them, nor the text of one. Only plain values are compared. */
function isSameConstant(schema: JsonValue | undefined, value: JsonValue | undefined): boolean {
  if (!isJsonObject(schema) || value === undefined || (typeof value === "object" && value !== null)) return true;
  const isThis = (constant: JsonValue): boolean =>
    constant === value || (typeof constant !== "string" && JSON.stringify(constant) === value);
  if (schema.const !== undefined && !isThis(schema.const)) return false;
  return !Array.isArray(schema.enum) || listOf(schema.enum).some(isThis);
}

function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function hasDefault(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && schema.default !== undefined;
}

function defined(schema: JsonValue | undefined): Rule {
  return schema === undefined ? [] : [schema];
}
