// Attack: A plain object that says it is a Date, so that whoever believes it fails.
// Expect: value {"a":1}
// Guard: forged-brand
async function main() {
  return { a: 1, [Symbol.toStringTag]: "Date" };
}
