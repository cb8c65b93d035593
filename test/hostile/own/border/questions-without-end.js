// Attack: Questions to a person instead of requests, a hundred of them at once.
// Expect: TOO_MANY_REQUESTS
// Guard: host-call-count
async function main() {
  return await Promise.all(Array.from({ length: 100 }, (_, index) => g.ask.elicit(`Is it ${index}?`)));
}
