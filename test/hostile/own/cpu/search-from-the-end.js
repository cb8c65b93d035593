// Attack: lastIndexOf of a long text in a longer one compares for days in one step that nothing interrupts: the isolate cannot be ended, only its process.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  return "a".repeat(20_000_000).lastIndexOf(`${"a".repeat(10_000_000)}b`);
}
