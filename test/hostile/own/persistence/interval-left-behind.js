// Attack: The same with an interval, for every call that comes.
// Expect: value []
// Mode: tool
// Guard: end-of-a-call
// Before: this
async function main({ turn }) {
  if (turn === 1) return void setInterval(() => console.log("left"), 200);
  await g.run.sleep(350);
  return (await g.http.makeHttpRequest("http://notices/")).json();
}
