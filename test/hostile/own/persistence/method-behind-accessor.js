// Attack: A property on a method that stands behind an accessor since the hardening, where freezing finds only the accessor.
// Expect: value null
// Guard tool: reachable-originals
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return [].push.left;
  [].push.left = "left";
}
