/**
 * Finds byte sequences as they stand, and where their characters stand escaped, each in any notation, up to three notations
 * deep: the text is searched, the text with one layer of escapes taken off, and so on. A layer begins where the first escape stands
 * and ends where nothing that is under way holds one, so that a text without escapes is searched once.
 */
import { addRange, createSearch, EDGE_BYTES, type FormTable, rebase, type Search, searchOn, settledBefore } from "./form-search.ts";
import { createUnescaped, dropUnescaped, findEscape, rebaseUnescaped, type Unescaped, unescapeOn } from "./unescape.ts";

/** The search through a text, or through a text of which escapes were taken. Positions count as in {@link Search}. */
export interface LayeredSearch {
  readonly search: Search;
  readonly depth: number;
  /** Nothing can be found any more before this place, edges included. */
  settled: number;
  /** How far was looked for the first escape. */
  scannedTo: number;
  /** How far the text was searched; on the outermost layer only. */
  searchedTo: number;
  /** Nothing can be found on the layers below before this place. */
  innerSettled: number;
  /** The text with a layer less. */
  inner: Inner | undefined;
}

/** See {@link LayeredSearch}. */
interface Inner {
  readonly text: Unescaped;
  readonly layers: LayeredSearch;
  /** Where the escape stands for which it was opened. */
  opener: number;
}

/** Layers taken off: one in another, and one more for text that is quoted again. */
const MAX_DEPTH = 3;

/** Bytes that are searched at once, so that no layer holds the whole of a text. */
const BLOCK_BYTES = 65_536;

/** Bytes of which escapes are taken at once. */
const STEP_BYTES = 512;

/** A search from the begin of some bytes. */
export function createLayeredSearch(table: FormTable, depth = 0): LayeredSearch {
  return { search: createSearch(table), depth, settled: 0, scannedTo: 0, searchedTo: 0, innerSettled: 0, inner: undefined };
}

/** Looks through the first `length` bytes, from where the search stands; what was found is in `search.found`. */
export function searchLayersOn(layers: LayeredSearch, bytes: Buffer, length: number, { isLast }: { readonly isLast: boolean }): void {
  while (layers.searchedTo + BLOCK_BYTES < length) {
    layers.searchedTo += BLOCK_BYTES;
    searchBlock(layers, bytes, layers.searchedTo, false);
  }
  layers.searchedTo = length;
  searchBlock(layers, bytes, length, isLast);
}

/** Says that the first `count` bytes were dropped. */
export function rebaseLayers(layers: LayeredSearch, count: number): void {
  rebase(layers.search, count);
  layers.settled -= count;
  layers.scannedTo -= count;
  layers.searchedTo -= count;
  layers.innerSettled -= count;
  if (layers.inner !== undefined) {
    rebaseUnescaped(layers.inner.text, count);
    layers.inner.opener -= count;
  }
}

function searchBlock(layers: LayeredSearch, bytes: Buffer, length: number, isLast: boolean): void {
  // First: what the layers below hold back begins where this one was settled before.
  const innerSettled = layers.depth < MAX_DEPTH ? searchInner(layers, bytes, length, isLast) : length;
  searchOn(layers.search, bytes, length, { isLast });
  layers.settled = Math.min(isLast ? length : settledBefore(layers.search), innerSettled);
}

/** Searches the next layer wherever it differs. Gives the place up to which that is settled. */
function searchInner(layers: LayeredSearch, bytes: Buffer, length: number, isLast: boolean): number {
  const { search } = layers;
  for (;;) {
    layers.inner ??= openInner(layers, bytes, length, isLast);
    if (layers.inner === undefined) return length;
    const { text, layers: inner, opener } = layers.inner;
    // In steps, so that it ends soon after the last escape.
    const to = Math.min(length, text.readTo + STEP_BYTES);
    const isEnd = isLast && to === length;
    unescapeOn(text, bytes, to, { folds: search.table.folds, isLast: isEnd, matters: search.table.escapes });
    searchBlock(inner, text.bytes, text.size, isEnd);
    for (const { start, end } of inner.search.found) addRange(search, sourceOf(text, start), sourceOf(text, end));
    inner.search.found = [];
    // Not before the opener was read: it would be opened for that again, and again begin as far before it.
    if (inner.inner === undefined && text.readTo > opener && text.lastEscape <= inner.settled && text.readTo === to) {
      layers.innerSettled = sourceOf(text, inner.settled);
      layers.inner = undefined;
      layers.scannedTo = to;
      if (to === length) return length;
      continue;
    }
    const settled = sourceOf(text, inner.settled);
    if (inner.settled > text.size / 2) {
      const count = inner.settled;
      dropUnescaped(text, count);
      rebaseLayers(inner, count);
    }
    if (to === length) return settled;
  }
}

/** The next layer, if there is an escape. */
function openInner(layers: LayeredSearch, bytes: Buffer, length: number, isLast: boolean): Inner | undefined {
  const { table } = layers.search;
  const first = findEscape(bytes, layers.scannedTo, length, { folds: table.folds, isLast, matters: table.escapes });
  layers.scannedTo = length;
  if (first === length) return undefined;
  // As long as nothing was escaped both layers were the same text, and what was settled here is settled there.
  const from = Math.max(layers.settled, layers.innerSettled, first - table.longest - EDGE_BYTES);
  return { text: createUnescaped(from), layers: createLayeredSearch(table, layers.depth + 1), opener: first };
}

/** The place in the source at which a place of the text begins. */
function sourceOf(text: Unescaped, at: number): number {
  return at < text.size ? (text.starts[at] ?? 0) : text.readTo;
}
