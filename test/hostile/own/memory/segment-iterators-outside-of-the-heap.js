// Attack: the same by iterators over the segments of one text, each of which has a copy of its own.
// Expect: OUT_OF_MEMORY
// Guard: host-memory
async function main() {
  const segments = new Intl.Segmenter("en").segment("x".repeat(15_000_000));
  const kept = [];
  while (kept.length < 120) kept.push(segments[Symbol.iterator]());
  return kept.length;
}
