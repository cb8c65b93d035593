// Attack: a million promises that wait for each other, with their handlers: what the queue of microtasks keeps alive counts as well.
// Expect: OUT_OF_MEMORY
// Guard: isolate-memory
async function main() {
  const { promise, resolve } = Promise.withResolvers();
  let waiting = 0;
  for (let index = 0; index < 1_000_000; index++) void promise.then(() => waiting++);
  resolve();
  await promise;
  return waiting > 0;
}
