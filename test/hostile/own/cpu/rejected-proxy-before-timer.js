// Attack: a rejection without a handler whose reason is a Proxy that loops: the library reads it outside of its time limit (facts: burns until the process is killed), so that the timer never fires.
// Expect: value 1
// Limit: 2000
// Guard: first-rejection
async function main() {
  const loop = () => {
    for (;;);
  };
  Promise.reject(new Proxy(new Error("a"), { get: loop, getPrototypeOf: loop, getOwnPropertyDescriptor: loop }));
  await new Promise((resolve) => setTimeout(resolve, 1));
  return 1;
}
