// Attack: Set.prototype.has that knows nothing: the border's list of open objects would never see a cycle, and write until the limit.
// Expect: SCRIPT_ERROR
// Guard: captured-collections
// Mode: call
async function main() {
  Set.prototype.has = () => false;
  const round = { name: "x".repeat(10_000) };
  round.again = round;
  return round;
}
