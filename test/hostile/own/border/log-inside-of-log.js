// Attack: A Proxy whose trap logs it again, 700 deep: each line was allowed when it began (our own bridge.js looked at the limit before the values).
// Expect: value true
// Guard: log-limit-after-values
async function main() {
  let depth = 0;
  const echo = new Proxy({}, {
    ownKeys() {
      if (depth++ < 700) console.log(echo, "x".repeat(1_000));
      return [];
    },
  });
  console.log("x".repeat(60_000), echo);
  const lines = (await g.http.makeHttpRequest("http://notices/")).json();
  return lines.filter(({ params }) => params.text.includes("is cut here")).length === 1;
}
