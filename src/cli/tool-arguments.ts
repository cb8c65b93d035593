/** Arguments of `toolyard run` from the command line: `key=value` typed by the tool's schema, or a JSON object. */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { compileValidator } from "../schema/validator.ts";
import { UsageError } from "./usage-error.ts";

type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * `key=value` pairs as an object. A value becomes what its property's schema allows: a number, a boolean, JSON for
 * objects and arrays, else text; of several types, the first that fits in this order, but before all a value that the
 * schema lists. What does not fit is passed on, so that the engine reports it as it does for any client. Without a type, JSON counts where it parses. Throws {@link UsageError} for a pair without "=", a key given twice, or
 * an object or array that is not JSON.
 */
export function parsePairs(pairs: readonly string[], parameters: JsonObject): JsonObject {
  const values = new Map<string, JsonValue>();
  for (const pair of pairs) {
    const split = pair.indexOf("=");
    if (split < 1) {
      throw new UsageError(`"${pair}" is not an argument: write key=value. For a whole object use --args '{"key": "value"}'.`);
    }
    const key = pair.slice(0, split);
    if (values.has(key)) throw new UsageError(`"${key}" is given twice. For a list write it as JSON: ${key}='["a", "b"]'.`);
    values.set(key, typedValue(key, pair.slice(split + 1), propertySchema(parameters, key)));
  }
  // fromEntries defines own properties, also for a key such as "__proto__".
  return Object.fromEntries(values);
}

/** The text of `--args` as an object. Throws {@link UsageError} that says where the JSON ends to parse. */
export function parseArgumentsText(text: string, origin: string): JsonObject {
  const value = parseJson(text, (reason) => `${origin} is not JSON: ${reason}`);
  if (!isJsonObject(value)) throw new UsageError(`${origin} must be a JSON object, such as {"key": "value"}.`);
  return value;
}

function typedValue(key: string, text: string, schema: JsonValue | undefined): JsonValue {
  const types = typesOf(schema);
  const fixed = fixedValues(schema);
  if (types.size === 0 && fixed.length === 0) return parsedOrText(text);
  if (types.size === 1 && types.has("string") && fixed.every((value) => typeof value === "string")) return text;
  const isChoice = types.size !== 1 || fixed.length > 0;
  const fitting = isChoice && isJsonObject(schema) ? fittingValue(text, schema, { types, fixed }) : undefined;
  if (fitting !== undefined) return fitting;
  // What fits nothing is passed on as what it was probably meant to be, so that the engine says what is wrong with it.
  if ((types.has("number") || types.has("integer")) && NUMBER.test(text)) return Number(text);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("null") && text === "null") return null;
  const mustBeJson = types.size > 0 && [...types].every((type) => type === "object" || type === "array");
  if (!mustBeJson && !(takesJson(text, types) && !types.has("string"))) return text;
  return parseJson(text, (reason) => `"${key}" takes ${[...types].join(" or ")} as JSON; found "${shortened(text)}" (${reason}).`);
}

/** Of what the text may stand for, the first that the schema takes: a value it lists, then any other than text, then the text. */
function fittingValue(
  text: string,
  schema: JsonObject,
  { types, fixed }: { readonly types: ReadonlySet<TypeName>; readonly fixed: readonly JsonValue[] },
): JsonValue | undefined {
  const number = Number(text);
  const isNumber = NUMBER.test(text) && Number.isFinite(number);
  // Beside text, only what the number would be written as again: "1.10" may be a version.
  const isMeant = isNumber && (!types.has("string") || String(number) === text);
  const candidates: readonly JsonValue[] = [
    ...fixed.filter((value) => typeof value !== "object" && String(value) === text),
    ...fixed.filter((value) => isDeepStrictEqual(value, parsedOrText(text))),
    ...(isMeant ? [number] : []),
    ...(text === "true" || text === "false" ? [text === "true"] : []),
    ...(text === "null" ? [null] : []),
    ...(takesJson(text, types) ? [parsedOrText(text)] : []),
    text,
  ];
  const { validate } = compileValidator(schema, { applyDefaults: false });
  return candidates.find((candidate) => validate(candidate).ok);
}

function takesJson(text: string, types: ReadonlySet<TypeName>): boolean {
  return (types.has("object") && text.startsWith("{")) || (types.has("array") && text.startsWith("["));
}

function parsedOrText(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return text; // Not JSON: plain text, the usual case.
  }
}

/** The values that a schema, or one of its alternatives, lists. Where the text of two is the same, the one that is no text comes first. */
function fixedValues(schema: JsonValue | undefined): readonly JsonValue[] {
  if (!isJsonObject(schema)) return [];
  const listed: readonly JsonValue[] = Array.isArray(schema.enum) ? schema.enum : [];
  const own = schema.const === undefined ? listed : [...listed, schema.const];
  const all = [...own, ...branchesOf(schema).flatMap(fixedValues)];
  return [...all.filter((value) => typeof value !== "string"), ...all.filter((value) => typeof value === "string")];
}

function typesOf(schema: JsonValue | undefined): ReadonlySet<TypeName> {
  if (!isJsonObject(schema)) return new Set();
  const named = typeof schema.type === "string" ? [schema.type] : Array.isArray(schema.type) ? schema.type : [];
  return new Set([...named.filter(isTypeName), ...branchesOf(schema).flatMap((branch) => [...typesOf(branch)])]);
}

function branchesOf({ anyOf, oneOf, allOf }: JsonObject): readonly JsonValue[] {
  return [anyOf, oneOf, allOf].flatMap((list): readonly JsonValue[] => (Array.isArray(list) ? list : []));
}

function isTypeName(name: unknown): name is TypeName {
  return typeof name === "string" && ["string", "number", "integer", "boolean", "null", "object", "array"].includes(name);
}

function propertySchema({ properties }: JsonObject, key: string): JsonValue | undefined {
  return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function parseJson(text: string, message: (reason: string) => string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    throw new UsageError(message(messageOf(error)), { cause: error });
  }
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
