// Attack: An error whose message throws itself, so that telling about it fails in its turn.
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-read-safely
async function main() {
  const error = new Error("a");
  Object.defineProperty(error, "message", {
    get() {
      throw error;
    },
  });
  throw error;
}
