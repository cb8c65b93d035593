// Attack: a buffer made small with a large maximum, resized step by step: what it grows by is outside of the isolate's limit (facts: 862 MB).
// Expect: SCRIPT_ERROR
// Guard: removed-buffer-growth
async function main() {
  const buffer = new ArrayBuffer(8, { maxByteLength: 600_000_000 });
  const bytes = new Uint8Array(buffer);
  for (let size = 1_000_000; size <= 600_000_000; size += 1_000_000) {
    ArrayBuffer.prototype.resize.call(buffer, size);
    bytes.fill(1, size - 1_000_000);
  }
  return bytes.length;
}
