// Attack: Symbol.species of lists, so that the next call's lists are made by the last one's constructor.
// Expect: value [1]
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return [1].filter(() => true);
  Object.defineProperty(Array, Symbol.species, { get: () => class extends Array { toJSON() { return "left"; } } });
}
