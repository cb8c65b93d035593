// Attack: A Proxy of a list that claims a length of 2^53 - 1 (a lie that Array.isArray believes).
// Expect: RESULT_TOO_LARGE
// Guard: result-size
async function main() {
  return new Proxy([], { get: (_target, name) => (name === "length" ? Number.MAX_SAFE_INTEGER : undefined) });
}
