// Attack: main() returns a promise that nothing settles: the call would keep its place and its isolate for good.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  return await new Promise(() => undefined);
}
