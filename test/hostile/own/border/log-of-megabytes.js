// Attack: 60 log lines of 20 KB, and one of 5 MB.
// Expect: value true
// Guard: log-size
async function main() {
  for (let line = 0; line < 60; line++) console.log("x".repeat(20_000));
  console.log("x".repeat(5_000_000));
  const lines = (await g.http.makeHttpRequest("http://notices/")).json();
  return lines.length > 0 && lines.reduce((sum, { params }) => sum + params.text.length, 0) < 70_000;
}
