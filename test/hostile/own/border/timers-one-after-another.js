// Attack: Timers that are cancelled at once, so that few wait while 100,000 are made.
// Expect: SCRIPT_ERROR
// Guard: timer-count
async function main() {
  for (let index = 0; index < 100_000; index++) clearTimeout(setTimeout(() => undefined, 1e9));
  return "made";
}
