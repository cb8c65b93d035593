// Attack: closes the function behind a template that holds brackets of its own, so that they count as balanced for a reader who only counts them.
// Expect: SCRIPT_ERROR
// Guard: body-check
const text = `${"})})"}`;
return main})});
(function () { return (function () {
async function main() {
  return typeof text;
}
