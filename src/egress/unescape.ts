/** Takes one layer of escapes off bytes, and keeps where each byte came from. */
import { codeOf, type EscapeOptions, escapeAt, lengthOf, NO_ESCAPE, UNDECIDED } from "./escapes.ts";

/** Bytes without one layer of escapes; grows as more is unescaped. */
export interface Unescaped {
  bytes: Buffer;
  /** By byte: where in the source it begins. */
  starts: Int32Array;
  size: number;
  /** Place in the source up to which it was read. */
  readTo: number;
  /** Place behind the last byte that stood escaped, and mattered. */
  lastEscape: number;
}

/** Nothing yet, of a source that is read from here on. */
export function createUnescaped(readTo: number): Unescaped {
  return { bytes: Buffer.allocUnsafe(0), starts: new Int32Array(0), size: 0, readTo, lastEscape: 0 };
}

/** Reads on to `length`, or to an escape that is cut off there. */
export function unescapeOn(target: Unescaped, source: Uint8Array, length: number, options: LayerOptions): void {
  reserve(target, length - target.readTo);
  const { bytes, starts } = target;
  const begins = options.folds ? FOLDED_BEGINS : BEGINS;
  let { size, readTo: at } = target;
  while (at < length) {
    const byte = source[at] ?? 0;
    const sight = begins[byte] === 1 ? escapeAt(source, at, length, options) : NO_ESCAPE;
    if (sight === UNDECIDED) break;
    starts[size] = at;
    if (sight === NO_ESCAPE) {
      bytes[size++] = byte;
      at += 1;
      continue;
    }
    const code = codeOf(sight);
    if (code <= 0xff) bytes[size++] = code;
    else {
      // Never longer than the escape.
      const written = bytes.write(String.fromCodePoint(code), size, "utf8");
      starts.fill(at, size, size + written);
      size += written;
    }
    at += lengthOf(sight);
    if (isMattering(options.matters[code], source, at, length)) target.lastEscape = size;
  }
  target.size = size;
  target.readTo = at;
}

/** Forgets the first bytes. */
export function dropUnescaped(target: Unescaped, count: number): void {
  target.bytes.copyWithin(0, count, target.size);
  target.starts.copyWithin(0, count, target.size);
  target.size -= count;
  target.lastEscape -= count;
}

/** Says that the first bytes of the source were dropped. */
export function rebaseUnescaped(target: Unescaped, count: number): void {
  target.readTo -= count;
  for (let at = 0; at < target.size; at++) target.starts[at] = (target.starts[at] ?? 0) - count;
}

/** The whole of some bytes without one layer of escapes, in Latin-1 as far as that goes. */
export function unescaped(bytes: Uint8Array): Buffer {
  const target = createUnescaped(0);
  unescapeOn(target, bytes, bytes.length, { folds: true, isLast: true, matters: NO_BYTES });
  return target.bytes.subarray(0, target.size);
}

/** An escape that stands for such a byte changes nothing that is looked for. */
export const MATTERS_NOT = 0;

/** It does. */
export const MATTERS = 1;

/** Only before what can be more of an escape: `&` and `\` of texts are nearly always themselves. */
export const MATTERS_BEFORE_MORE = 2;

/** How a layer is taken off. */
interface LayerOptions extends EscapeOptions {
  /** By byte: whether an escape that stands for it is looked for. */
  readonly matters: Uint8Array;
}

/** The first place from `from` on where an escape that matters stands, or one is cut off; `length` for none. */
export function findEscape(source: Buffer, from: number, length: number, options: LayerOptions): number {
  const begins = options.folds ? FOLDED : PLAIN;
  for (let start = from; start < length; start += FIND_BYTES) {
    const end = Math.min(length, start + FIND_BYTES);
    // In native code: most texts have few of these, or none.
    const part = source.subarray(start, end);
    const begin = Math.min(...begins.map((byte) => part.indexOf(byte)).filter((at) => at >= 0));
    if (begin === Number.POSITIVE_INFINITY) continue;
    const first = firstThatMatters(source, { from: start + begin, to: end }, length, options);
    if (first < end) return first;
  }
  return length;
}

/** Bytes that are looked through at once: behind an escape the search begins anew. */
const FIND_BYTES = 4_096;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function firstThatMatters(source: Uint8Array, { from, to }: Stretch, length: number, options: LayerOptions): number {
  const begins = options.folds ? FOLDED_BEGINS : BEGINS;
  for (let at = from; at < to; at++) {
    if (begins[source[at] ?? 0] === 0) continue;
    const sight = escapeAt(source, at, length, options);
    if (sight === UNDECIDED) return at;
    if (sight === NO_ESCAPE) continue;
    if (isMattering(options.matters[codeOf(sight)], source, at + lengthOf(sight), length)) return at;
  }
  return to;
}

/** Characters beyond U+00FF become several bytes; whether one of them matters is not asked. */
function isMattering(matters: number | undefined, source: Uint8Array, after: number, length: number): boolean {
  if (matters === undefined || matters === MATTERS) return true;
  return matters === MATTERS_BEFORE_MORE && (after >= length || MORE[source[after] ?? 0] === 1);
}

/** Bytes that an escape begins with: `%`, `&`, `\`. */
const PLAIN: readonly number[] = [0x25, 0x26, 0x5c];

/** With these begin U+0080 to U+00FF in UTF-8. */
const FOLDED: readonly number[] = [...PLAIN, 0xc2, 0xc3];

const NO_BYTES = new Uint8Array(256);

/** By byte: 1 for what follows the begin of an escape, as it stands or escaped itself: letters, digits, signs but a few. */
const MORE = Uint8Array.from({ length: 256 }, (_, byte) => (byte > 0x20 && byte < 0x7f ? 1 : 0));

const BEGINS = Uint8Array.from({ length: 256 }, (_, byte) => (PLAIN.includes(byte) ? 1 : 0));
const FOLDED_BEGINS = Uint8Array.from({ length: 256 }, (_, byte) => (FOLDED.includes(byte) ? 1 : 0));

function reserve(target: Unescaped, more: number): void {
  const needed = target.size + more;
  if (needed <= target.bytes.length) return;
  const room = Math.max(needed, 2 * target.bytes.length);
  const bytes = Buffer.allocUnsafe(room);
  target.bytes.copy(bytes, 0, 0, target.size);
  const starts = new Int32Array(room);
  starts.set(target.starts.subarray(0, target.size));
  target.bytes = bytes;
  target.starts = starts;
}
