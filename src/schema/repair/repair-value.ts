import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ArgumentRepair, JsonTypeName } from "../../core/tool.ts";
import { pathText } from "../value-path.ts";
import { admittedKinds, kindOf } from "./admitted-types.ts";
import { readLiteral } from "./literal.ts";
import { createRuleReader, type Rule, type RuleReader } from "./rules.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** A value with its texts read as the schema means them, and what was read. */
export interface RepairedValue {
  readonly value: JsonValue;
  readonly repaired: readonly ArgumentRepair[];
}

type Path = readonly (string | number)[];

/**
 * Reads each text that stands where the schema takes no text, if it stands for a value of a kind that the schema takes
 * there. Everything else stays as it is, the given value itself included. Throws `TooManyAlternatives`.
 */
export function repairValue(root: JsonObject, value: JsonValue, index: SchemaIndex): RepairedValue {
  const repaired: ArgumentRepair[] = [];
  const reader = createRuleReader(index);
  return { value: repairAt([root], value, { index, reader, repaired, path: [] }), repaired };
}

interface RepairContext {
  readonly index: SchemaIndex;
  readonly reader: RuleReader;
  readonly repaired: ArgumentRepair[];
  readonly path: Path;
}

function repairAt(rule: Rule, value: JsonValue, context: RepairContext): JsonValue {
  if (rule.length === 0) return value;
  if (typeof value === "string") {
    const read = readText(rule, value, context);
    return read === undefined ? value : repairAt(rule, read, context);
  }
  if (typeof value !== "object" || value === null) return value;
  const { reader, path } = context;
  const expanded = reader.expand(rule, value);
  const below = (key: string | number, item: JsonValue): JsonValue =>
    repairAt(reader.part(expanded, value, key), item, { ...context, path: [...path, key] });
  if (!isJsonObject(value)) return value.map((item, position) => below(position, item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(key, item)]));
}

function readText(rule: Rule, text: string, { index, repaired, path }: RepairContext): JsonValue | undefined {
  const kinds = admittedKinds(rule, index);
  if (kinds.has("string")) return undefined;
  const value = readLiteral(text, kinds);
  if (value !== undefined) repaired.push({ path: pathText(path), from: "string", to: typeName(value) });
  return value;
}

function typeName(value: JsonValue): JsonTypeName {
  const kind = kindOf(value);
  if (kind === "whole") return "integer";
  return kind === "fraction" ? "number" : kind;
}
