// Attack: The room for images filled with quotes: each is escaped once more on its way, so that what the guest allows is too long for the host.
// Expect: SCRIPT_ERROR
// Guard: outcome-room
async function main() {
  return g.result.fail("See below.", [{ type: "text", text: '"'.repeat(2_400_000) }]);
}
