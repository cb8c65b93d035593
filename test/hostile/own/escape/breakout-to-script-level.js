// Attack: closes the function around it and goes on at the level of a script, where code runs while it is loaded, sloppy and outside of every call.
// Expect: SCRIPT_ERROR
// Guard: body-check
async function main() {
  return globalThis.broken ?? "none";
}
return main})});
globalThis.broken = "out";
(function () { return (function () {
async function main() {
  return "out";
}
