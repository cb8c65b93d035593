// Attack: A function declared by indirect eval, which declares it for the whole realm.
// Expect: value "undefined"
// Guard tool: hardened-global
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return (0, eval)("typeof leftFunction");
  (0, eval)("function leftFunction() {}");
}
