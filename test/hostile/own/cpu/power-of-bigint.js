// Attack: one multiplication of two numbers of a hundred million digits.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  let number = 3n ** 4_000_000n;
  for (;;) number = (number * number) >> BigInt(1_000);
}
