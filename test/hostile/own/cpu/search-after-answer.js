// Attack: lastIndexOf of a long text, begun when the answer is under way: days in one step that nothing interrupts, on a thread nobody waits for.
// Expect: value "bye"
// Guard: dirty-host
async function main() {
  let hops = 12;
  const hop = () => (hops-- > 0 ? Promise.resolve().then(hop) : "a".repeat(20_000_000).lastIndexOf(`${"a".repeat(10_000_000)}b`));
  void hop();
  return "bye";
}
