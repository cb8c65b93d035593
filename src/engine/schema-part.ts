/**
 * What of a tool's parameters goes into an error. A schema may take 256 KiB, and each failed call would put it into the
 * conversation once more: so at most the part that is about what failed, and where even that is long nothing but where to read it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Caller } from "../core/tool.ts";
import type { FieldIssue } from "../schema/validator.ts";

/** Longest schema in an error, in UTF-16 units of its JSON text. */
export const MAX_SCHEMA_CHARACTERS = 4_000;

/** Longest text of all issues of an error together, in UTF-16 units of their JSON; the first is always told. */
const MAX_ISSUES_CHARACTERS = 8_000;

/** Longest list of allowed values of one issue, in UTF-16 units of its JSON; the message has the first of them anyway. */
const MAX_ALLOWED_CHARACTERS = 1_000;

/** `whole`: all of it is given; `part`: only what concerns the fields; `none`: it is too long. */
export type SchemaPart = { readonly kind: "whole" | "part"; readonly schema: JsonObject } | { readonly kind: "none" };

/** The schema, or of a long one the fields of these paths (as `FieldIssue.path`), or nothing where that is long too. */
export function schemaPart(parameters: JsonObject, paths: readonly string[] = []): SchemaPart {
  if (isShort(parameters)) return { kind: "whole", schema: parameters };
  const { properties, required, type, $schema } = parameters;
  if (!isJsonObject(properties)) return { kind: "none" };
  const names = [...new Set(paths.map(firstKey))].filter((name) => Object.hasOwn(properties, name));
  if (names.length === 0) return { kind: "none" };
  const isNamed = (name: JsonValue): boolean => typeof name === "string" && names.includes(name);
  const schema: JsonObject = {
    ...($schema === undefined ? {} : { $schema }),
    ...(type === undefined ? {} : { type }),
    properties: Object.fromEntries(names.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]]))),
    ...(Array.isArray(required) ? { required: required.filter(isNamed) } : {}),
    ...definitionsOf(parameters),
  };
  return isShort(schema) ? { kind: "part", schema } : { kind: "none" };
}

/** How this caller gets the whole schema of a tool, as a sentence. */
export function wholeSchemaText(tool: string, { origin }: Caller): string {
  return origin === "cli"
    ? `toolyard describe ${tool} shows all parameters.`
    : `GetWorkspaceTools with {"name": ${JSON.stringify(tool)}} gives all parameters.`;
}

/** The issues as data, as many as fit. */
export function issuesData(issues: readonly FieldIssue[]): readonly JsonObject[] {
  const told: JsonObject[] = [];
  let left = MAX_ISSUES_CHARACTERS;
  for (const { allowed, ...issue } of issues) {
    const isTold = allowed !== undefined && JSON.stringify(allowed).length <= MAX_ALLOWED_CHARACTERS;
    const data: JsonObject = isTold ? { ...issue, allowed } : { ...issue };
    left -= JSON.stringify(data).length;
    if (left < 0 && told.length > 0) break;
    told.push(data);
  }
  return told;
}

function isShort(schema: JsonObject): boolean {
  return JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS;
}

/** What references of the part may lead to. */
function definitionsOf({ $defs, definitions }: JsonObject): JsonObject {
  return { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
}

/** The key a path begins with: `where` of `where.column[2]`, `odd key` of `["odd key"].a`. */
function firstKey(path: string): string {
  const quoted = /^\[("(?:[^"\\]|\\.)*")\]/.exec(path)?.[1];
  if (quoted === undefined) return /^[^.[]*/.exec(path)?.[0] ?? "";
  const key: unknown = JSON.parse(quoted);
  return typeof key === "string" ? key : "";
}
