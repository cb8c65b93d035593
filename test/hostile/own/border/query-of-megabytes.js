// Attack: Parameters that are written three times as long as they are: 3 million spaces in a query.
// Expect: INVALID_REQUEST
// Guard: parameter-size
async function main() {
  return await g.http.makeHttpRequest("http://a/", { query: { q: " ".repeat(3_000_000) } });
}
