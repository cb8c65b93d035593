// Attack: intervals of no delay: each fires at every turn of the host's loop, and a million of them leave it no time for anybody else.
// Expect: SCRIPT_ERROR
// Limit: 5000
// Guard: timer-count
async function main() {
  for (let made = 0; made < 100_000; made++) setInterval(() => undefined, 0);
  return 1;
}
