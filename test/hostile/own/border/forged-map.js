// Attack: The same as a Map and as a Set, whose members nobody can visit.
// Expect: value [{"a":1},{"b":2}]
// Guard: forged-collection
async function main() {
  return [
    { a: 1, [Symbol.toStringTag]: "Map" },
    { b: 2, [Symbol.toStringTag]: "Set" },
  ];
}
