// Attack: arms a timer and cancels it, without end: never more than one waits, but each costs the host's loop two messages.
// Expect: SCRIPT_ERROR
// Limit: 5000
// Guard: timer-count
async function main() {
  for (;;) clearTimeout(setTimeout(() => undefined, 1_000));
}
