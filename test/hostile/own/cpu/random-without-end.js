// Attack: randomness without end: each piece is made by the host while the isolate waits, on the loop that serves all calls.
// Expect: SCRIPT_ERROR
// Limit: 2000
// Guard: random-budget
async function main() {
  const bytes = new Uint8Array(65_536);
  for (;;) crypto.getRandomValues(bytes);
}
