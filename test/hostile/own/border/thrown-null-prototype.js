// Attack: The same with nothing at all: an object that has not even a toString.
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-shown-safely
async function main() {
  // A timer that waits: a call that nothing else can settle is ended at once, and would hide the attack.
  setTimeout(() => undefined, 60_000);
  throw Object.create(null);
}
