// Attack: A thrown text of 20 MB, which is no error and has no message to cut.
// Expect: SCRIPT_ERROR
// Guard: thrown-text
async function main() {
  throw "x".repeat(20_000_000);
}
