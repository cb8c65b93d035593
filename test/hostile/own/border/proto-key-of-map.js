// Attack: The same as a key of a Map, which becomes a record.
// Expect: value {"a":1}
// Guard: proto-key
async function main() {
  return new Map([
    ["a", 1],
    ["__proto__", { isAdmin: true }],
  ]);
}
