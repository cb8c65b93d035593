// Attack: 200 MB of text in pieces that share nothing.
// Expect: OUT_OF_MEMORY
// Guard: isolate-memory
async function main() {
  const kept = [];
  for (let index = 0; index < 200; index++) kept.push(JSON.stringify(`${index}${"x".repeat(1_000_000)}`));
  return kept.length;
}
