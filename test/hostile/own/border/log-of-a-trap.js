// Attack: A Proxy whose traps throw is logged, so that the log call fails in a script that did nothing wrong.
// Expect: value 1
// Guard: log-never-fails
async function main() {
  const trap = () => {
    throw new Error("a");
  };
  console.log(new Proxy({}, { ownKeys: trap, get: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap }));
  return 1;
}
