// Attack: spreads a text of twenty million characters into an array (isolated-vm issue 107).
// Expect: OUT_OF_MEMORY
// Guard: told-as-memory
async function main() {
  return [..."x".repeat(2e7)].length;
}
