/** A value that JSON text can hold; all that crosses the sandbox border and the wire. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Made by `JSON.parse` or literals, never an instance of a class. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a value is, in words such as "an array" or "nothing"; never the value itself, which may be anything. */
export function kindText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * The one key that reaches an object's prototype where a copy is made by assignment; refused in files, schemas and
 * arguments. `constructor`, `toString` and their like are keys as any other: assigned to a plain object they are its own.
 */
export const FORBIDDEN_KEY = "__proto__";
