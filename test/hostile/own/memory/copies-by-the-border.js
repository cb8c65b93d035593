// Attack: the border itself asks for buffers of the size the script chooses: copies of a Blob, whose refusal is thrown out of the border's own function.
// Expect: OUT_OF_MEMORY
// Guard: buffer-words
async function main() {
  const blob = new Blob([new Uint8Array(12_000_000)]);
  const kept = [];
  while (kept.length < 20) kept.push(await blob.bytes());
  return kept.length;
}
