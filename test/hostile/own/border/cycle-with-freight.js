// Attack: A cycle that carries 5,000 characters a round, to fill the result before its depth is noticed.
// Expect: SCRIPT_ERROR
// Guard: result-cycles
async function main() {
  const value = { freight: "x".repeat(5_000) };
  value.again = { value };
  return value;
}
