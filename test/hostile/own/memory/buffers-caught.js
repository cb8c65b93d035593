// Attack: buffers of 8 MB until there is no room, the error caught each time: 200 MB must not come together even with patience.
// Expect: value true
// Guard: isolate-memory
async function main() {
  const kept = [];
  for (let tried = 0; tried < 25; tried++) {
    try {
      kept.push(new Uint8Array(8_000_000).fill(1));
    } catch {
      // No room; the next one may find some.
    }
  }
  return kept.length < 20;
}
