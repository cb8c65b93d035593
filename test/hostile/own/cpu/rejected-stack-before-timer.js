// Attack: an error rejected without a handler whose stack and message are getters that loop, read by the library when the turn ends.
// Expect: value 1
// Limit: 2000
// Guard: first-rejection
async function main() {
  const error = new Error("a");
  const get = () => {
    for (;;);
  };
  Object.defineProperty(error, "stack", { get });
  Object.defineProperty(error, "message", { get });
  Object.defineProperty(error, "name", { get });
  Promise.reject(error);
  await new Promise((resolve) => setTimeout(resolve, 1));
  return 1;
}
