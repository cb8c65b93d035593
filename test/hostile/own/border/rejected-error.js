// Attack: A rejected promise nobody handles, which the library would report instead of the call's result.
// Expect: value 1
// Guard: first-rejection
async function main() {
  (async () => {
    await g.run.sleep(1);
    throw new Error("left alone");
  })();
  await g.run.sleep(20);
  return 1;
}
