// Attack: Thousands of tiny requests whose failures are all caught, as fast as they can be made.
// Expect: value [53,"TOO_MANY_REQUESTS"]
// Guard: host-call-count
async function main() {
  let made = 0;
  const codes = new Set();
  const waiting = [];
  for (let index = 0; index < 3_000; index++) {
    waiting.push(g.http.makeHttpRequest("http://a/").then(() => made++, (error) => codes.add(error.code)));
  }
  await Promise.all(waiting);
  return [made, ...codes];
}
