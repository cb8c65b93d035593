// Attack: An object is thrown that cannot be made into text.
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-shown-safely
async function main() {
  // A timer that waits: a call that nothing else can settle is ended at once, and would hide the attack.
  setTimeout(() => undefined, 60_000);
  throw {
    toString() {
      throw this;
    },
  };
}
