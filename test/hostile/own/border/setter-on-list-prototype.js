// Attack: Setters for the indices of all lists, which take what the border puts into its own (vm2 advisories: setters on Array.prototype).
// Expect: value {"map":{"a":1},"taken":0}
// Mode: call
// Guard: bare-lists
async function main() {
  let taken = 0;
  for (let index = 0; index < 9; index++) Object.defineProperty(Array.prototype, index, { set: () => taken++, configurable: true });
  return {
    map: new Map([["a", 1]]),
    get taken() {
      return taken;
    },
  };
}
