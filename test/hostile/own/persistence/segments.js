// Attack: The prototype of what Intl.Segmenter gives, which no constructor leads to and ses does not know.
// Expect: value null
// Guard tool: hidden-prototypes
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  const prototype = Object.getPrototypeOf(new Intl.Segmenter().segment("a"));
  if (turn === 2) return prototype.left;
  prototype.left = "left";
}
