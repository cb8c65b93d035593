// Attack: The same with an async function that sleeps on after the answer, and reports progress in the next call's name.
// Expect: value []
// Mode: tool
// Guard: end-of-a-call
// Before: this
async function main({ turn }) {
  const oversleep = async () => {
    await g.run.sleep(200);
    g.run.progress(99, 100, "left");
  };
  if (turn === 1) return void oversleep();
  await g.run.sleep(350);
  return (await g.http.makeHttpRequest("http://notices/")).json();
}
