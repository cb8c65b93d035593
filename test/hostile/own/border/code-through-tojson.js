// Attack: The same by a toJSON that is asked in the middle of the writing.
// Expect: SCRIPT_ERROR
// Guard: value-read-safely
async function main() {
  return { a: [{ toJSON: () => g.secrets.getSecret("A") }] };
}
