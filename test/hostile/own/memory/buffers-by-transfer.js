// Attack: transfer() to a larger size, again and again: the new room is not asked of the isolate's allocator as a new buffer's is.
// Expect: SCRIPT_ERROR
// Guard: removed-buffer-growth
async function main() {
  const kept = [];
  for (let made = 0; made < 20; made++) {
    const buffer = new ArrayBuffer(1_000_000).transfer(4_000_000);
    new Uint8Array(buffer).fill(1);
    kept.push(buffer.byteLength);
  }
  return kept.length;
}
