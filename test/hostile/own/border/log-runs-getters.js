// Attack: Values whose getters act when they are logged, at a time when nobody expects code to run (Node's util.inspect and its custom hooks).
// Expect: value 0
// Guard: log-reads-no-getters
async function main() {
  let runs = 0;
  const value = {
    get a() {
      return ++runs;
    },
    toJSON: () => ++runs,
    toString: () => `${++runs}`,
    [Symbol.for("nodejs.util.inspect.custom")]: () => ++runs,
  };
  console.log(value, [value]);
  return runs;
}
