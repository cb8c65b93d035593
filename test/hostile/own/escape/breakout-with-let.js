// Attack: closes the function around it to declare a name at the level of a script, which every later call of the isolate shares.
// Expect: SCRIPT_ERROR
// Guard: body-check
async function main() {}
})});
let shared = 0;
(function () { return (function () {
async function main() {
  shared += 1;
  return shared;
}
