// Attack: 35 MB of bytes as a result: with their base64 more than the isolate holds, if that is made before it is measured.
// Expect: RESULT_TOO_LARGE
// Guard: long-bytes
async function main() {
  return new Uint8Array(35_000_000);
}
