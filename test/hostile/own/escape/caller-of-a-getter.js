// Attack: a getter of sloppy code, read by the border while it writes the result, asks for its caller: V8 gives away functions of sloppy code with their arguments.
// Expect: value {"first":1,"second":"null"}
// Guard: strict-border
async function main() {
  const found = { caller: "none" };
  const get = Function("found", "return function get() { found.caller = get.caller === null ? 'null' : typeof get.caller; return 1; };")(found);
  const result = {};
  Object.defineProperty(result, "first", { enumerable: true, get });
  Object.defineProperty(result, "second", { enumerable: true, get: () => found.caller });
  return result;
}
