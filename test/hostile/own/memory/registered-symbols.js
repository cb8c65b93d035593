// Attack: names in the table of symbols stay for as long as the isolate lives (facts: 3 MB by 10,000): call after call of one tool fills it.
// Expect: value 50000
// Limit: 5000
// Guard: worn-isolate
// Mode: tool
// Before: this
async function main({ turn }) {
  const count = 50_000;
  const filler = "x".repeat(1_000);
  for (let index = 0; index < count; index++) Symbol.for(`${turn} ${index} ${filler}`);
  return count;
}
