// Attack: Error.stackTraceLimit of 0: the errors of the next call have no place.
// Expect: value true
// Guard tool: errors-of-one-call
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return String(new Error("a").stack).includes(" at ");
  Error.stackTraceLimit = 0;
}
