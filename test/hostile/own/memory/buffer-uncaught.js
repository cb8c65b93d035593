// Attack: one buffer that is larger than the limit; V8 makes an error of it that any script could throw by itself.
// Expect: OUT_OF_MEMORY
// Guard: buffer-words
async function main() {
  return new Uint8Array(500_000_000).length;
}
