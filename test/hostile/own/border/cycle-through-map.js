// Attack: The same through a Map and a Set, which no reader of JSON would follow.
// Expect: SCRIPT_ERROR
// Guard: result-cycles
async function main() {
  const map = new Map([["freight", "x".repeat(5_000)]]);
  map.set("again", new Set([map]));
  return map;
}
