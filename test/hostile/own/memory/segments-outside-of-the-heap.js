// Attack: Intl.Segmenter keeps a copy of the text in memory that V8's heap knows nothing of: a small object each, 30 MB behind it.
// Expect: OUT_OF_MEMORY
// Guard: host-memory
async function main() {
  const segmenter = new Intl.Segmenter("en");
  const text = "x".repeat(15_000_000);
  const kept = [];
  while (kept.length < 120) kept.push(segmenter.segment(text));
  return kept.length;
}
