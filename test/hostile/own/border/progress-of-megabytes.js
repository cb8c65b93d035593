// Attack: A progress message of 900 KB, which is shown to the client's user.
// Expect: value 200
// Guard: progress-text
async function main() {
  g.run.progress(1, 2, "x".repeat(900_000));
  return (await g.http.makeHttpRequest("http://notices/")).json()[0].params.message.length;
}
