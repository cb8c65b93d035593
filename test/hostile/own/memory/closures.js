// Attack: a chain of closures, each of which holds a list that only it can see.
// Expect: OUT_OF_MEMORY
// Guard: isolate-memory
async function main() {
  let last = () => 0;
  for (let index = 0; index < 2_000; index++) {
    const list = new Array(12_000).fill(index);
    const next = last;
    last = () => list.length + next.length;
  }
  return typeof last;
}
