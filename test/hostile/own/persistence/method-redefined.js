// Attack: A method of all lists is redefined, for the next call to run (what one page leaves in a shared realm).
// Expect: value [1]
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return [1].map((member) => member);
  Object.defineProperty(Array.prototype, "map", { value: () => ["left"] });
}
