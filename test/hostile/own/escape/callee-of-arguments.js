// Attack: arguments.callee and its caller lead from function to function up to whoever called the script.
// Expect: value "TypeError"
// Guard: strict-script
async function main() {
  function inner() {
    return arguments.callee;
  }
  try {
    return typeof inner();
  } catch (error) {
    return error.name;
  }
}
