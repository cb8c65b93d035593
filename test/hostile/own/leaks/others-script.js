// Attack: A call right after one of another tool, to get what that one has loaded.
// Expect: value "mine"
// Mode: tool
// Guard: one-script-per-isolate
// Before: answers-with-its-name.js
// Before as: tool other
async function main() {
  return "mine";
}
