// Attack: Timers for later, 100,000 of them: they lie in the host's memory, not in that of the isolate.
// Expect: SCRIPT_ERROR
// Guard: timer-count
async function main() {
  for (let index = 0; index < 100_000; index++) setTimeout(() => undefined, 1e9);
  return "made";
}
