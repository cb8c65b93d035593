// Attack: main() returns a promise that nothing settles, beside a timer that comes much later: the call would keep its place and its isolate.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  setTimeout(() => undefined, 1e9);
  return await new Promise(() => undefined);
}
