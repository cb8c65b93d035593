// Attack: Values whose toJSON makes the next level only when it is asked, so that nobody can look at the depth beforehand.
// Expect: SCRIPT_ERROR
// Guard: result-depth
const level = (left) => ({ toJSON: () => (left > 0 ? { next: level(left - 1) } : 1) });

async function main() {
  return level(1_500);
}
