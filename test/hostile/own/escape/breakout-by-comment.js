// Attack: closes the function and hides the end of the wrapper in a comment of its own opening.
// Expect: SCRIPT_ERROR
// Guard: body-check
async function main() {
  return 1;
}
return main})}); (function () { return (function () { var main = async () => 2; /* the wrapper's own end: */
