/**
 * Masks secrets in what comes back: answers of servers before a script sees them, and results, logs and progress of a
 * call. It knows only values that this call has sent; a text that holds none of them comes back as it was.
 */
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { createFormTable, type FormTable, type Range } from "./form-search.ts";
import { createLayeredSearch, rebaseLayers, searchLayersOn } from "./layered-search.ts";
import { secretForms } from "./secret-forms.ts";

/** Finds and masks the secrets it was made for. */
export interface Redactor {
  /** The bytes with every form of every secret replaced; the same object if there was none. */
  redactBytes(bytes: Buffer): Buffer;
  redactText(text: string): string;
  /** Every string and key, at any depth; also numbers that spell a secret. */
  redactJson(value: JsonValue): JsonValue;
  /** Masks bytes that come in pieces; all pieces together are what {@link Redactor.redactBytes} makes of the whole. */
  stream(): RedactorStream;
  /** True if the bytes hold a secret in any form. */
  finds(bytes: Buffer): boolean;
}

/** See {@link Redactor.stream}. */
export interface RedactorStream {
  /** What is certain after this piece; it may be empty. Bytes that could be the begin of a secret are held back. */
  write(piece: Uint8Array): Buffer;
  /** The rest. Nothing can be written after it. */
  end(): Buffer;
}

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** A redactor for these values; those under 8 characters are not looked for. Texts must not be longer than 2 GiB as UTF-8. */
export function createRedactor(values: Iterable<string>): Redactor {
  const table = createFormTable([...new Set(values)].flatMap(secretForms));
  if (table === undefined) return nothingToMask();
  const redactBytes = (bytes: Buffer): Buffer => replaceRanges(bytes, findAll(table, bytes));
  const redactText = (text: string): string => {
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
    redactJson,
    stream: () => createStream(table),
    finds: (bytes) => findAll(table, bytes).length > 0,
  };
}

/** Most calls carry no secret: nothing is searched, and nothing made for it. */
function nothingToMask(): Redactor {
  return {
    redactBytes: (bytes) => bytes,
    redactText: (text) => text,
    redactJson: (value) => value,
    stream: () => ({ write: (piece) => Buffer.from(piece), end: () => Buffer.alloc(0) }),
    finds: () => false,
  };
}

function findAll(table: FormTable, bytes: Buffer): readonly Range[] {
  const layers = createLayeredSearch(table);
  searchLayersOn(layers, bytes, bytes.length, { isLast: true });
  return merged(layers.search.found);
}

/** In ascending order; those that overlap or touch as one: parts of two secrets that share bytes are both hidden. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
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

function createStream(table: FormTable): RedactorStream {
  const layers = createLayeredSearch(table);
  const { search } = layers;
  const mask = Buffer.from(REDACTED, "latin1");
  // What is not given out yet, and three bytes more for the edges; grows to the longest form that may be under way.
  let held = Buffer.alloc(0);
  let size = 0;
  /** Bytes of `held` that were given out or masked. */
  let done = 0;
  /** End of the last mask; a find that touches it belongs to it. */
  let maskedTo = -1;

  const append = (piece: Uint8Array): void => {
    if (size + piece.length > held.length) {
      const larger = Buffer.alloc(Math.max(2 * size, size + piece.length));
      held.copy(larger, 0, 0, size);
      held = larger;
    }
    held.set(piece, size);
    size += piece.length;
  };
  const giveOut = (settled: number): Buffer => {
    const parts: Buffer[] = [];
    const later: Range[] = [];
    for (const range of merged(search.found)) {
      if (range.start >= settled) {
        later.push(range);
        continue;
      }
      if (range.start > maskedTo) parts.push(held.subarray(done, range.start), mask);
      done = Math.max(done, range.end);
      maskedTo = done;
    }
    search.found = later;
    if (done < settled) {
      parts.push(held.subarray(done, settled));
      done = settled;
    }
    return Buffer.concat(parts);
  };
  const drop = (count: number): void => {
    held.copyWithin(0, count, size);
    size -= count;
    done -= count;
    maskedTo = maskedTo < count ? -1 : maskedTo - count;
    rebaseLayers(layers, count);
  };
  return {
    write(piece) {
      append(piece);
      searchLayersOn(layers, held, size, { isLast: false });
      const { settled } = layers;
      const out = giveOut(settled);
      // Not each time: moving what is held for a long form costs as much as that is long.
      if (settled > size / 2) drop(settled);
      return out;
    },
    end() {
      searchLayersOn(layers, held, size, { isLast: true });
      return giveOut(size);
    },
  };
}
