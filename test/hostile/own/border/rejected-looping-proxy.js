// Attack: A rejected promise nobody handles, with a Proxy that never answers: the library reads it outside of its time limit (isolated-vm, unhandled rejections).
// Expect: value 1
// Limit: 500
// Guard: first-rejection
async function main() {
  const loop = () => {
    for (;;);
  };
  Promise.reject(new Proxy(() => undefined, { get: loop, getPrototypeOf: loop, getOwnPropertyDescriptor: loop, has: loop }));
  await g.run.sleep(20);
  return 1;
}
