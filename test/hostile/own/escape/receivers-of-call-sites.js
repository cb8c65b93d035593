// Attack: the same by getThis(): the receiver of the writer's method is the writer itself, whose text is the result.
// Expect: value {"first":1,"second":0}
// Guard: strict-border
// Mode: call
async function main() {
  let receivers = 0;
  Error.prepareStackTrace = (_, sites) => {
    for (const site of sites) if (typeof site.getThis()?.write === "function") receivers += 1;
    return "";
  };
  const get = Function("return function get() { new Error('a').stack; return 1; };")();
  const result = {};
  Object.defineProperty(result, "first", { enumerable: true, get });
  return Object.defineProperty(result, "second", { enumerable: true, get: () => receivers });
}
