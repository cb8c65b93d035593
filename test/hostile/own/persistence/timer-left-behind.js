// Attack: A timer that fires when the next call runs, and writes to its log.
// Expect: value []
// Mode: tool
// Guard: end-of-a-call
// Before: this
async function main({ turn }) {
  if (turn === 1) return void setTimeout(() => console.log("left"), 200);
  await g.run.sleep(350);
  return (await g.http.makeHttpRequest("http://notices/")).json();
}
