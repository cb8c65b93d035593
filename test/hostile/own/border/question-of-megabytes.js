// Attack: A question of 8 MB, which a person would have to read.
// Expect: INVALID_REQUEST
// Guard: parameter-size
async function main() {
  return await g.ask.elicit("x".repeat(8_000_000));
}
