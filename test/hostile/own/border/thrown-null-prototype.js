// Attack: The same with nothing at all: an object that has not even a toString.
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-shown-safely
async function main() {
  throw Object.create(null);
}
