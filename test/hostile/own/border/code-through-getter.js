// Attack: A getter in the result that throws an error of the border, whose code would become that of the call.
// Expect: SCRIPT_ERROR
// Guard: value-read-safely
async function main() {
  return {
    get a() {
      return g.secrets.getSecret("A");
    },
  };
}
