// Attack: the prototypes behind Intl.Segmenter's results have no name, and no list of the language's objects holds them.
// Expect: value []
// Guard: hidden-prototypes
// Mode: tool
async function main() {
  const segments = new Intl.Segmenter("en").segment("a b");
  const hidden = [Object.getPrototypeOf(segments), Object.getPrototypeOf(segments[Symbol.iterator]())];
  return hidden.map((each, index) => (Reflect.set(each, "left", 1) ? index : -1)).filter((index) => index >= 0);
}
