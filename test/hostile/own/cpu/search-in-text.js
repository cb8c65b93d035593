// Attack: the same by includes(), in texts that the search algorithm for long patterns is slowest with.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  return "a".repeat(20_000_000).includes(`${"a".repeat(5_000_000)}b${"a".repeat(5_000_000)}`);
}
