/**
 * Finds many byte sequences at once, in bytes that may arrive in pieces. Most of a text is never looked at (Wu and
 * Manber 1994: the last bytes of a window say how far no sequence can begin), and no text and no sequence makes it
 * slow: what is compared at one place is bounded, and a long sequence goes on as in Knuth, Morris and Pratt.
 */
import type { SecretForm } from "./secret-forms.ts";
import { MATTERS, MATTERS_BEFORE_MORE, MATTERS_NOT } from "./unescape.ts";

/** A stretch of bytes, `end` not included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The sequences, made ready to be looked for. */
export interface FormTable {
  readonly window: number;
  /** True if a sequence has bytes beyond ASCII. */
  readonly folds: boolean;
  /** By byte: whether it matters where it stands escaped, being part of a sequence or of another escape. */
  readonly escapes: Uint8Array;
  /** Bytes of the longest sequence. */
  readonly longest: number;
  readonly shifts: Uint8Array;
  readonly heads: ReadonlyMap<number, readonly Head[]>;
}

/** How far a search has come. Positions count from the begin of the bytes it was last given. */
export interface Search {
  readonly table: FormTable;
  /** First place at which no sequence was looked for yet. */
  next: number;
  readonly runs: Map<LongForm, Run>;
  /** What was found and not taken yet; in no order, may overlap. */
  found: Range[];
}

/** The first bytes of one or more sequences, at most {@link HEAD_BYTES}. */
interface Head {
  readonly bytes: Buffer;
  /** The sequence that is just these bytes, if there is one. */
  whole: SecretForm | undefined;
  readonly longer: LongForm[];
}

/** A sequence longer than its head. */
interface LongForm {
  readonly form: SecretForm;
  /** By number of matching bytes less one: how many still match when the next one does not. Made at the first need. */
  fallback: Uint32Array | undefined;
}

/** The search for one long sequence, from a place where its head stands. */
interface Run {
  /** Bytes of it that match before `at`. */
  matching: number;
  at: number;
}

/** Most bytes compared for a sequence at any one place; the rest of a longer one is matched once per byte of the text. */
const HEAD_BYTES = 64;

/** Signs that escapes begin with: `%`, `&`, `\`. */
const BEGINS_OF_ESCAPES: readonly number[] = [0x25, 0x26, 0x5c];

/** Signs that stand within escapes: `#`, `;`, `{`, `}`. Letters and digits may be an edge anyway. */
const SIGNS_OF_ESCAPES: readonly number[] = [0x23, 0x3b, 0x7b, 0x7d];

/** Bytes beside a find that can be an edge: `%2B` is one character of base64 in a URL. */
export const EDGE_BYTES = 3;

/** Bytes of a block in the shift table; no form is shorter. */
const BLOCK = 3;
const TABLE_SIZE = 1 << 16;

/** Makes sequences ready. Undefined for none: a table takes 64 KiB, and most calls carry no secret. */
export function createFormTable(forms: readonly SecretForm[]): FormTable | undefined {
  if (forms.length === 0) return undefined;
  const byText = new Map<string, Head>();
  for (const form of forms) {
    const bytes = form.bytes.subarray(0, HEAD_BYTES);
    const key = bytes.toString("latin1");
    const head: Head = byText.get(key) ?? { bytes, whole: undefined, longer: [] };
    byText.set(key, head);
    if (form.bytes.length > HEAD_BYTES) head.longer.push({ form, fallback: undefined });
    else head.whole = form;
  }
  const window = Math.min(...[...byText.values()].map((head) => head.bytes.length));
  const shifts = new Uint8Array(TABLE_SIZE).fill(window - BLOCK + 1);
  const heads = new Map<number, Head[]>();
  for (const head of byText.values()) {
    for (let end = BLOCK; end <= window; end++) {
      const hash = blockHash(head.bytes, end);
      shifts[hash] = Math.min(shifts[hash] ?? 0, window - end);
    }
    // By the whole window, not its last block: percent-encoded text shares its blocks with many forms.
    const hash = windowHash(head.bytes, 0, window);
    heads.set(hash, [...(heads.get(hash) ?? []), head]);
  }
  const used = new Uint8Array(256);
  for (const { bytes } of forms) for (const byte of bytes) used[byte] = 1;
  const folds = used.lastIndexOf(1) > 0x7f;
  const escapes = used.map((isUsed, byte) => {
    // A character of base64 may be the edge of one.
    if (isUsed === 1 || isBase64(byte)) return MATTERS;
    if (BEGINS_OF_ESCAPES.includes(byte)) return MATTERS_BEFORE_MORE;
    return SIGNS_OF_ESCAPES.includes(byte) ? MATTERS : MATTERS_NOT;
  });
  return { window, folds, escapes, longest: Math.max(...forms.map(({ bytes }) => bytes.length)), shifts, heads };
}

/** A search from the begin of some bytes. */
export function createSearch(table: FormTable): Search {
  return { table, next: 0, runs: new Map(), found: [] };
}

/**
 * Looks through the first `length` bytes, from where the search stands. Unless they are the last ones it stops as soon as
 * what follows could matter; {@link settledBefore} says what is certain then.
 */
export function searchOn(search: Search, bytes: Buffer, length: number, { isLast }: { readonly isLast: boolean }): void {
  const { window, shifts, heads } = search.table;
  const runEnd = isLast ? length : length - EDGE_BYTES;
  for (const [long, run] of search.runs) continueRun(search, long, run, bytes, length, runEnd);
  const lastEnd = isLast ? length : length - EDGE_BYTES - HEAD_BYTES + window;
  let end = search.next + window;
  while (end <= lastEnd) {
    const shift = shifts[blockHash(bytes, end)] ?? 1;
    if (shift > 0) {
      end += shift;
      continue;
    }
    const start = end - window;
    const candidates = heads.get(windowHash(bytes, start, window));
    if (candidates !== undefined) {
      for (const head of candidates) if (standsAt(head.bytes, bytes, start, length)) takeHead(search, head, bytes, length, start, runEnd);
    }
    end += 1;
  }
  search.next = end - window;
}

/** The place before which nothing can be found any more, edges included. */
export function settledBefore(search: Search): number {
  let earliest = search.next;
  for (const { at, matching } of search.runs.values()) {
    if (matching >= HEAD_BYTES) earliest = Math.min(earliest, at - matching);
  }
  return Math.max(0, earliest - EDGE_BYTES);
}

/** Says that the first `count` bytes were dropped. */
export function rebase(search: Search, count: number): void {
  search.next -= count;
  for (const run of search.runs.values()) run.at -= count;
  search.found = search.found.map(({ start, end }) => ({ start: start - count, end: end - count }));
}

/** Hash of the block that ends before `end`. */
function blockHash(bytes: Buffer, end: number): number {
  // Inside the bounds by the loops above; `?? 0` only satisfies the type.
  return (((bytes[end - 3] ?? 0) << 10) ^ ((bytes[end - 2] ?? 0) << 5) ^ (bytes[end - 1] ?? 0)) & (TABLE_SIZE - 1);
}

function windowHash(bytes: Buffer, start: number, window: number): number {
  let hash = 0;
  for (let at = start; at < start + window; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  return hash;
}

function standsAt(head: Buffer, bytes: Buffer, start: number, length: number): boolean {
  if (start + head.length > length) return false;
  for (let at = 0; at < head.length; at++) if (head[at] !== bytes[start + at]) return false;
  return true;
}

function takeHead(search: Search, head: Head, bytes: Buffer, length: number, start: number, runEnd: number): void {
  if (head.whole !== undefined) addFound(search, head.whole, bytes, length, start, start + head.bytes.length);
  for (const long of head.longer) {
    const run = search.runs.get(long);
    // A run knows every place before its own begin, and while it lasts every place so far.
    if (run !== undefined && (run.matching >= HEAD_BYTES || start < run.at - run.matching)) continue;
    const fresh = { matching: HEAD_BYTES, at: start + HEAD_BYTES };
    search.runs.set(long, fresh);
    continueRun(search, long, fresh, bytes, length, runEnd);
  }
}

/** Goes on with a run to `runEnd`, or to where less than the head matches: from there on heads are looked for anyway. */
function continueRun(search: Search, long: LongForm, run: Run, bytes: Buffer, length: number, runEnd: number): void {
  const { form } = long;
  const sequence = form.bytes;
  long.fallback ??= fallbackOf(sequence);
  const { fallback } = long;
  let { matching, at } = run;
  while (at < runEnd && matching >= HEAD_BYTES) {
    const byte = bytes[at];
    while (matching > 0 && sequence[matching] !== byte) matching = fallback[matching - 1] ?? 0;
    if (sequence[matching] === byte) matching += 1;
    at += 1;
    if (matching < sequence.length) continue;
    addFound(search, form, bytes, length, at - matching, at);
    matching = fallback[matching - 1] ?? 0;
  }
  run.matching = matching;
  run.at = at;
}

/** The failure function of Knuth, Morris and Pratt. */
function fallbackOf(sequence: Buffer): Uint32Array {
  const fallback = new Uint32Array(sequence.length);
  let matching = 0;
  for (let at = 1; at < sequence.length; at++) {
    while (matching > 0 && sequence[matching] !== sequence[at]) matching = fallback[matching - 1] ?? 0;
    if (sequence[matching] === sequence[at]) matching += 1;
    fallback[at] = matching;
  }
  return fallback;
}

function addFound(search: Search, form: SecretForm, bytes: Buffer, length: number, from: number, to: number): void {
  const start = form.mixesBefore ? from - edgeBefore(bytes, from) : from;
  addRange(search, start, form.mixesAfter ? to + edgeAfter(bytes, to, length) : to);
}

/** Adds a find. */
export function addRange(search: Search, start: number, end: number): void {
  const last = search.found.at(-1);
  // Finds of one run, or at one place after the other, overlap most of the time; a list of millions would be slow.
  if (last !== undefined && start >= last.start && start <= last.end) {
    if (end > last.end) search.found[search.found.length - 1] = { start: last.start, end };
  } else {
    search.found.push({ start, end });
  }
}

/** Length of the one character of base64 that ends at `at`, as it stands there or escaped; 0 if there is none. */
function edgeBefore(bytes: Buffer, at: number): number {
  if (at >= 3 && isEscapedSign(bytes, at - 3)) return 3;
  if (at < 1 || !isBase64(bytes[at - 1])) return 0;
  return at >= 2 && bytes[at - 1] === SLASH && bytes[at - 2] === BACKSLASH ? 2 : 1;
}

/** The same for the character that begins at `at`. */
function edgeAfter(bytes: Buffer, at: number, length: number): number {
  if (at + 3 <= length && isEscapedSign(bytes, at)) return 3;
  if (at + 2 <= length && bytes[at] === BACKSLASH && bytes[at + 1] === SLASH) return 2;
  return at < length && isBase64(bytes[at]) ? 1 : 0;
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;

/** True for `%2B` and `%2F`, in either case. */
function isEscapedSign(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x25 && bytes[at + 1] === 0x32 && /[BFbf]/u.test(String.fromCharCode(bytes[at + 2] ?? 0));
}

function isBase64(byte: number | undefined): boolean {
  return byte !== undefined && /[A-Za-z0-9+/_-]/u.test(String.fromCharCode(byte));
}
