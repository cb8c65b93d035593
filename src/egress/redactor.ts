/**
 * Masks secrets in what comes back: answers of servers before a script sees them, and results, logs and progress of a
 * call. It knows only values that this call has sent; a text that holds none of them comes back as it was.
 */
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { secretForms } from "./secret-forms.ts";

/** Finds and masks the secrets it was made for. */
export interface Redactor {
  /** The bytes with every form of every secret replaced; the same object if there was none. */
  redactBytes(bytes: Buffer): Buffer;
  redactText(text: string): string;
  /** Every string and key, at any depth; also numbers that spell a secret. */
  redactJson(value: JsonValue): JsonValue;
  /** True if the text holds a secret in any form. */
  finds(text: string): boolean;
}

/** What stands in the place of a secret. */
const REDACTED = "[redacted]";

/** A redactor for these values; those under 8 characters are not looked for. Texts must not be longer than 2 GiB as UTF-8. */
export function createRedactor(values: Iterable<string>): Redactor {
  const forms = new Map<string, Buffer>();
  for (const value of new Set(values)) {
    for (const form of secretForms(value)) forms.set(form.toString("latin1"), form);
  }
  const find = createFinder([...forms.values()]);
  const redactBytes = (bytes: Buffer): Buffer => replaceRanges(bytes, find(bytes));
  const redactText = (text: string): string => {
    if (forms.size === 0) return text;
    const bytes = Buffer.from(text, "utf8");
    const redacted = redactBytes(bytes);
    return redacted === bytes ? text : redacted.toString("utf8");
  };
  const redactJson = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return redactText(value);
    if (typeof value === "number") return redactText(String(value)) === String(value) ? value : REDACTED;
    if (typeof value !== "object" || value === null) return value;
    if (!isJsonObject(value)) return value.map(redactJson);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redactText(key), redactJson(inner)]));
  };
  return {
    redactBytes,
    redactText,
    redactJson: (value) => (forms.size === 0 ? value : redactJson(value)),
    finds: (text) => find(Buffer.from(text, "utf8")).length > 0,
  };
}

/** A stretch of bytes, `end` not included. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a block in the shift table; needles have at least {@link secretForms}' least length. */
const BLOCK = 3;
const TABLE_SIZE = 1 << 16;

/**
 * A searcher for many needles at once, after Wu and Manber (1994): the last three bytes of a window say how far no
 * needle can begin, so most of the text is never looked at. Gives merged ranges in ascending order.
 */
function createFinder(needles: readonly Buffer[]): (bytes: Buffer) => readonly Range[] {
  // Every call makes one, most of them without secrets: the table below would be all they allocate.
  if (needles.length === 0) return () => [];
  const window = Math.min(...needles.map((needle) => needle.length));
  const shifts = new Uint8Array(TABLE_SIZE).fill(Math.min(255, window - BLOCK + 1));
  const buckets = new Map<number, Buffer[]>();
  const windowHash = (bytes: Buffer, start: number): number => {
    let hash = 0;
    for (let at = start; at < start + window; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    return hash;
  };
  for (const needle of needles) {
    for (let end = BLOCK; end <= window; end++) {
      const hash = blockHash(needle, end);
      shifts[hash] = Math.min(shifts[hash] ?? 0, window - end);
    }
    // By the whole window, not its last block: percent-encoded text shares its blocks with many needles.
    const hash = windowHash(needle, 0);
    buckets.set(hash, [...(buckets.get(hash) ?? []), needle]);
  }
  return (bytes) => {
    const ranges: { start: number; end: number }[] = [];
    let end = window;
    while (end <= bytes.length) {
      const shift = shifts[blockHash(bytes, end)] ?? 1;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - window;
      const length = longestAt(bytes, start, buckets.get(windowHash(bytes, start)) ?? []);
      if (length > 0) addRange(ranges, start, start + length);
      end += 1;
    }
    return ranges;
  };
}

/** Hash of the block that ends before `end`. */
function blockHash(bytes: Buffer, end: number): number {
  // Inside the bounds by the loops above; `?? 0` only satisfies the type.
  return (((bytes[end - 3] ?? 0) << 10) ^ ((bytes[end - 2] ?? 0) << 5) ^ (bytes[end - 1] ?? 0)) & (TABLE_SIZE - 1);
}

function longestAt(bytes: Buffer, start: number, needles: readonly Buffer[]): number {
  let longest = 0;
  for (const needle of needles) {
    if (needle.length <= longest || start + needle.length > bytes.length) continue;
    if (bytes.compare(needle, 0, needle.length, start, start + needle.length) === 0) longest = needle.length;
  }
  return longest;
}

/** Overlapping finds become one: parts of two secrets that share bytes are both hidden. */
function addRange(ranges: { start: number; end: number }[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
  else ranges.push({ start, end });
}

function replaceRanges(bytes: Buffer, ranges: readonly Range[]): Buffer {
  if (ranges.length === 0) return bytes;
  const mask = Buffer.from(REDACTED, "latin1");
  const parts: Buffer[] = [];
  let position = 0;
  for (const { start, end } of ranges) {
    parts.push(bytes.subarray(position, start), mask);
    position = end;
  }
  parts.push(bytes.subarray(position));
  return Buffer.concat(parts);
}
