// Attack: 20,000 empty log lines, which take no bytes at all.
// Expect: value 2049
// Guard: log-lines
async function main() {
  for (let line = 0; line < 20_000; line++) console.log("");
  return (await g.http.makeHttpRequest("http://notices/")).json().length;
}
