// Attack: 80 million control characters, each of which takes six in JSON: seven times the memory of the isolate if it is written first and measured then.
// Expect: RESULT_TOO_LARGE
// Guard: long-text
async function main() {
  return { text: "\u0001".repeat(80_000_000) };
}
