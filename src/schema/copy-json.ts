import { FORBIDDEN_KEY, isJsonObject, type JsonValue } from "../core/json.ts";
import { pathText } from "./value-path.ts";

/** Deepest nesting of arguments; JSON this deep is an accident or an attack, and checking it recurses. */
export const MAX_VALUE_DEPTH = 256;

/** A copy, or why there is none. */
export type CopyOutcome =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly path: string; readonly expected: string };

/** A deep copy of JSON data made of fresh plain objects; refuses depth over 256 and the key `__proto__`. */
export function copyJson(value: JsonValue): CopyOutcome {
  const path: (string | number)[] = [];
  let fault: { readonly path: string; readonly expected: string } | undefined;
  const copy = (item: JsonValue): JsonValue => {
    if (typeof item !== "object" || item === null || fault !== undefined) return item;
    if (path.length >= MAX_VALUE_DEPTH) {
      fault = { path: pathText(path.slice(0, 3)), expected: `at most ${MAX_VALUE_DEPTH} levels of nesting` };
      return null;
    }
    if (!isJsonObject(item)) return item.map((child, index) => below(index, child));
    const object: Record<string, JsonValue> = {};
    for (const [key, child] of Object.entries(item)) {
      if (key === FORBIDDEN_KEY) fault ??= { path: pathText([...path, key]), expected: "another name for this key" };
      else object[key] = below(key, child);
    }
    return object;
  };
  const below = (part: string | number, child: JsonValue): JsonValue => {
    path.push(part);
    const copied = copy(child);
    path.pop();
    return copied;
  };
  const copied = copy(value);
  return fault === undefined ? { ok: true, value: copied } : { ok: false, ...fault };
}
