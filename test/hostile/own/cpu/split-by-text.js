// Attack: the same by split(), after main() has returned: the caller has its answer, and the thread is never seen again.
// Expect: value 1
// Guard: dirty-host
async function main() {
  let hops = 12;
  const hop = () => (hops-- > 0 ? Promise.resolve().then(hop) : "a".repeat(20_000_000).split(`${"a".repeat(5_000_000)}b${"a".repeat(5_000_000)}`));
  void hop();
  return 1;
}
