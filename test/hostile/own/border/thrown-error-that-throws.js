// Attack: An error whose message throws itself, so that telling about it fails in its turn.
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-read-safely
async function main() {
  // A timer that waits: a call that nothing else can settle is ended at once, and would hide the attack.
  setTimeout(() => undefined, 60_000);
  const error = new Error("a");
  Object.defineProperty(error, "message", {
    get() {
      throw error;
    },
  });
  throw error;
}
