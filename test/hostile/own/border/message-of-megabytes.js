// Attack: An error with a message of 20 MB, more than the server takes from a host in one line.
// Expect: SCRIPT_ERROR
// Guard: error-text
async function main() {
  throw new Error("x".repeat(20_000_000));
}
