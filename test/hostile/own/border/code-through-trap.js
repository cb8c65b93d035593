// Attack: The same by the trap of a Proxy that is asked for its keys.
// Expect: SCRIPT_ERROR
// Guard: value-read-safely
async function main() {
  return new Proxy({}, { ownKeys: () => g.secrets.getSecret("A") });
}
