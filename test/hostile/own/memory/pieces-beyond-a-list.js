// Attack: split() into more pieces than V8's lists can hold: no exception, V8 ends the process with "invalid size error" (from our own last-words.ts).
// Expect: OUT_OF_MEMORY
// Guard: told-as-memory
async function main() {
  return "x".repeat(1.4e8).split("").length;
}
