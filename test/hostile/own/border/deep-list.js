// Attack: A result of 2,000 lists in each other, for the recursive readers of the server (the readers of our own script-outcome.ts).
// Expect: SCRIPT_ERROR
// Guard: result-depth
async function main() {
  let list = [];
  for (let level = 0; level < 2_000; level++) list = [list];
  return list;
}
