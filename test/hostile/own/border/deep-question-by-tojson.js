// Attack: The same by toJSON of a shallow object, with quotes and brackets in strings to deceive a count of them.
// Expect: INVALID_REQUEST
// Guard: parameter-depth
async function main() {
  const level = (left) => ({ toJSON: () => [']]]"\\"]', left > 0 ? level(left - 1) : "}}\\"] });
  return await g.ask.elicit('[[[["\\', { properties: level(1_100) });
}
