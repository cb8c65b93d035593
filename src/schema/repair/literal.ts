import { isJsonObject, type JsonValue } from "../../core/json.ts";
import { MAX_VALUE_DEPTH } from "../copy-json.ts";
import { type Kind, kindOf } from "./admitted-types.ts";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Every text of a JSON document, every colon outside of texts, of which each member of an object has one, and every number. */
const TOKENS = /"(?:[^"\\]+|\\.)*"|:|-?\d[\d.eE+-]*/g;

/** Only such numbers can be more than a double holds. */
const LONG_NUMBER = /\d{16}|\d[eE]/;

/**
 * The value of one of these kinds that a text stands for, or undefined. Nothing is lost: a number prints back to the same text
 * (`5`, `-0.5`, not `05`, ` 5`, `1.0`, `1e400`, `9007199254740993`), `true`, `false` and `null` are written so, and JSON
 * of an object or array holds every number and every member that the text has.
 */
export function readLiteral(text: string, kinds: ReadonlySet<Kind>): JsonValue | undefined {
  const value = readScalar(text) ?? (kinds.has("object") || kinds.has("array") ? readStructure(text) : undefined);
  if (value !== undefined && kinds.has(kindOf(value))) return value;
  return text === "null" && kinds.has("null") ? null : undefined;
}

function readScalar(text: string): boolean | number | undefined {
  if (text === "true") return true;
  if (text === "false") return false;
  return NUMBER.test(text) && String(Number(text)) === text ? Number(text) : undefined;
}

function readStructure(text: string): JsonValue | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isJsonObject(value) && !Array.isArray(value)) return undefined;
  const isLong = LONG_NUMBER.test(text);
  let members = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === ":") members++;
    else if (isLong && !token.startsWith('"') && !isExact(token)) return undefined;
  }
  // Of a member that stands twice, one is lost.
  return members === countMembers(value) ? value : undefined;
}

/** False for whole numbers that a double cannot hold, such as long identifiers, and for what is over its range. */
function isExact(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(number) || String(value) === number;
}

/** Members of all objects in a value; undefined if it is nested deeper than arguments may be. Without recursion, which would end on such text. */
function countMembers(value: JsonValue): number | undefined {
  let members = 0;
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_VALUE_DEPTH) return undefined;
    const next: JsonValue[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (isJsonObject(item)) members += Object.keys(item).length;
      for (const child of Object.values(item)) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return members;
}
