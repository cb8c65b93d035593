/** Arguments of `toolyard run` from the command line: `key=value` typed by the tool's schema, or a JSON object. */
import { messageOf } from "../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { UsageError } from "./usage-error.ts";

type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * `key=value` pairs as an object. A value becomes what its property's schema allows: a number, a boolean, JSON for
 * objects and arrays, else text; what does not fit stays text, so that the engine reports it as it does for any client.
 * Without a type, JSON counts where it parses. Throws {@link UsageError} for a pair without "=", a key given twice, or
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
  if (types.size === 0) return untypedValue(text, schema);
  if (types.size === 1 && types.has("string")) return text;
  if ((types.has("number") || types.has("integer")) && NUMBER.test(text)) return Number(text);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("null") && text === "null") return null;
  const takesJson = (types.has("object") && text.startsWith("{")) || (types.has("array") && text.startsWith("["));
  const mustBeJson = [...types].every((type) => type === "object" || type === "array");
  if (!takesJson && !mustBeJson) return text;
  return parseJson(text, (reason) => `"${key}" takes ${[...types].join(" or ")} as JSON; found "${shortened(text)}" (${reason}).`);
}

/** An enum without a type decides by the text of its members; else whatever parses as JSON is taken as that. */
function untypedValue(text: string, schema: JsonValue | undefined): JsonValue {
  const members = isJsonObject(schema) && Array.isArray(schema.enum) ? (schema.enum as readonly JsonValue[]) : undefined; // isArray widens to any[]
  if (members !== undefined) return members.find((member) => String(member) === text) ?? text;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return text; // Not JSON: plain text, the usual case.
  }
}

function typesOf(schema: JsonValue | undefined): ReadonlySet<TypeName> {
  if (!isJsonObject(schema)) return new Set();
  const named = typeof schema.type === "string" ? [schema.type] : Array.isArray(schema.type) ? schema.type : [];
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return new Set([...named.filter(isTypeName), ...branches.flatMap((branch: JsonValue) => [...typesOf(branch)])]);
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
