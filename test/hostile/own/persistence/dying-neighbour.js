// Attack: A call of another agent leaves behind what ends its process a third of a second after its answer, with whoever is in there.
// Expect: value 1
// Guard: hosts-of-one-agent
// Before: dies-after-its-answer.js
// Before as: agent other
async function main() {
  await g.run.sleep(1_000);
  return 1;
}
