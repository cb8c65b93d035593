// Attack: The next method of what walks over segments: the next call would run the last one's.
// Expect: value ["a"]
// Guard tool: hidden-prototypes
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  const segments = new Intl.Segmenter().segment("a");
  if (turn === 2) return Array.from(segments, ({ segment }) => segment);
  Object.getPrototypeOf(segments[Symbol.iterator]()).next = () => ({ done: true });
}
