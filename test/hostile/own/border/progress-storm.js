// Attack: 5,000 progress messages at once, for the client's user to see.
// Expect: value true
// Guard: progress-rate
async function main() {
  for (let done = 0; done < 5_000; done++) g.run.progress(done, 5_000);
  return (await g.http.makeHttpRequest("http://notices/")).json().length < 300;
}
