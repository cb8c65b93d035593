// Attack: A URL of 8 MB, longer than any line the server takes from a host.
// Expect: INVALID_REQUEST
// Guard: parameter-size
async function main() {
  return await fetch(`http://a/${"x".repeat(8_000_000)}`);
}
