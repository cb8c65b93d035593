// Attack: The same as the error's name.
// Expect: SCRIPT_ERROR
// Guard: error-name
async function main() {
  const error = new Error("short");
  error.name = "x".repeat(20_000_000);
  throw error;
}
