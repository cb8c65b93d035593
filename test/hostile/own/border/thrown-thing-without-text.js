// Attack: An object is thrown that cannot be made into text.
// Expect: SCRIPT_ERROR
// Limit: 500
// Guard: thrown-shown-safely
async function main() {
  throw {
    toString() {
      throw this;
    },
  };
}
