// Attack: A failure in words, 20 MB of them.
// Expect: SCRIPT_ERROR
// Guard: failure-text
async function main() {
  return g.result.fail("x".repeat(20_000_000));
}
