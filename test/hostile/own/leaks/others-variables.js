// Attack: The same by asking for a variable of the other tool's script, which would stand around if both were loaded in one isolate.
// Expect: value "undefined"
// Mode: tool
// Guard: one-script-per-isolate
// Before: answers-with-its-name.js
// Before as: tool other
async function main() {
  return typeof secretOfTheTool;
}
