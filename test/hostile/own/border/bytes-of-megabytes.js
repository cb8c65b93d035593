// Attack: The same as bytes.
// Expect: INVALID_REQUEST
// Guard: bytes-body-size
async function main() {
  return (await fetch("http://a/", { method: "POST", body: new Uint8Array(3_000_000) })).status;
}
