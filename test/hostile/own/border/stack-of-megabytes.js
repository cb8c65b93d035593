// Attack: A stack of 8 MB in one line that names the script's file 400,000 times, for a search that goes back to the start of the line each time.
// Expect: SCRIPT_ERROR
// Limit: 4000
// Guard: stack-size
async function main() {
  const error = new Error("a");
  Object.defineProperty(error, "stack", { value: "(scripts/probe.js:1 ".repeat(400_000) });
  throw error;
}
