// Attack: A symbol of the registry as a property of Promise.resolve: neither a name nor an object of this call.
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return Promise.resolve[Symbol.for("left")];
  Promise.resolve[Symbol.for("left")] = "left";
}
