// Attack: A list with a length of 2^32 - 1 and nothing in it: sixteen gigabytes of JSON in no memory at all.
// Expect: RESULT_TOO_LARGE
// Guard: result-size
async function main() {
  return new Array(4_294_967_295);
}
