// Attack: 8 MB in a hundred headers, none of them long.
// Expect: INVALID_REQUEST
// Guard: parameter-size
async function main() {
  const headers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, "x".repeat(80_000)]));
  return await g.http.makeHttpRequest("http://a/", { headers });
}
