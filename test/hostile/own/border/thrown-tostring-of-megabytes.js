// Attack: A thrown object whose toString gives 20 MB.
// Expect: SCRIPT_ERROR
// Guard: thrown-text
async function main() {
  throw { toString: () => "x".repeat(20_000_000) };
}
