// Attack: Error.prepareStackTrace, by which one call would write the stacks of the next (ses issues: error taming).
// Expect: value false
// Guard tool: errors-of-one-call
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return new Error("a").stack === "left";
  Error.prepareStackTrace = () => "left";
}
