// Attack: a microtask that loops, queued behind the one that settles main(): it runs when the answer is already under way.
// Expect: value 1
// Guard: after-answer-limit
async function main() {
  let hops = 12;
  const hop = () => {
    if (hops-- > 0) return Promise.resolve().then(hop);
    for (;;);
  };
  void hop();
  return 1;
}
