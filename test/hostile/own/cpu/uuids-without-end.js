// Attack: randomness in the smallest pieces, by names: the budget of a call must count them all the same.
// Expect: SCRIPT_ERROR
// Limit: 4000
// Guard: random-budget
async function main() {
  for (let made = 0; ; made++) {
    // So many are five times the budget.
    if (made > 1_310_720) return "no end";
    crypto.randomUUID();
  }
}
