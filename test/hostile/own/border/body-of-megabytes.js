// Attack: A body of 3 MB as text, below what a line to the server may have and above what a request may.
// Expect: INVALID_REQUEST
// Guard: text-body-size
async function main() {
  return (await fetch("http://a/", { method: "POST", body: "x".repeat(3_000_000) })).status;
}
