// Attack: A name that is not declared is assigned in sloppy code, which makes it one of the realm and not of the call.
// Expect: value "undefined"
// Guard tool: hardened-global
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return new Function("return typeof leftName")();
  new Function("leftName = 1")();
}
