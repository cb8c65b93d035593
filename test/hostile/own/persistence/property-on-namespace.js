// Attack: A property on a namespace of the language, where the next call looks for it.
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return Math.left;
  Math.left = "left";
}
