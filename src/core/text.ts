/** Text that is safe to hand on: well-formed, cut at code points, and the nearest name for a misspelling. */
import { isJsonObject, type JsonValue } from "./json.ts";

/** The text without lone surrogates; each becomes U+FFFD (some clients refuse a whole conversation over one). */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** The value without lone surrogates in its texts and keys; the same value where there are none. */
export function wellFormedJson(value: JsonValue): JsonValue {
  if (typeof value === "string") return wellFormed(value);
  // JSON.stringify writes pairs as they are and escapes only lone ones, so most values need no copy.
  return /\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(value)) ? copyWellFormed(value) : value;
}

/** At most `maxCharacters` UTF-16 units, never splitting a surrogate pair. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? maxCharacters - 1 : maxCharacters);
}

/** Longest name that a message repeats, in UTF-16 units: above every name, URI and id that a server of ours has. */
const SHOWN_NAME_CHARACTERS = 200;

/** A name of a caller's own making as messages, error data and logs repeat it: of any length it is told by its first 200 characters. */
export function shownName(name: string): string {
  return name.length <= SHOWN_NAME_CHARACTERS ? name : `${cutText(name, SHOWN_NAME_CHARACTERS)}…`;
}

/** The start of the character (code point) at this place of the text: the place itself, or one before it inside of a surrogate pair. */
export function characterStart(text: string, index: number): number {
  const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
  const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
  // charCodeAt gives NaN outside of the text, which is neither.
  return isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;
}

/** The candidate nearest to `name` if it is near enough to be a slip of the pen (a third of its length, at most 3 edits). */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name === "") return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.max(1, Math.floor(name.length / 3))) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function copyWellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) return value.map(copyWellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormed(key), copyWellFormed(inner)]));
}

/** Levenshtein distance with adjacent swaps counted as one edit; gives up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min((previous[j] ?? limit) + 1, (row[j - 1] ?? limit) + 1, (previous[j - 1] ?? limit) + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) distance = Math.min(distance, (beforePrevious[j - 2] ?? limit) + 1);
      row.push(distance);
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] ?? limit;
}
