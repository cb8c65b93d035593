// Attack: RegExp.input and its like, where the engine keeps the text that was searched last, by whomever.
// Expect: value null
// Mode: call
// Guard: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return RegExp["$_"] || null;
  /\d+/.exec("card 4111");
}
