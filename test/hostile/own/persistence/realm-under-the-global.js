// Attack: The object under the call's global object, found by asking that for its prototype (our own bridge.js makes the one inherit from the other).
// Expect: value null
// Guard tool: hardened-global
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  const realm = Object.getPrototypeOf(globalThis);
  if (turn === 2) return realm.left;
  realm.left = "left";
}
