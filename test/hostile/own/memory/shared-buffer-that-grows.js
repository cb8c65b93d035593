// Attack: a growable shared buffer: grow() takes pages nobody counts.
// Expect: value "nowhere to be had"
// Guard: removed-shared-buffers
async function main() {
  const Shared = globalThis.SharedArrayBuffer;
  if (Shared === undefined) return "nowhere to be had";
  const buffer = new Shared(1, { maxByteLength: 1_000_000_000 });
  buffer.grow(1_000_000_000);
  new Uint8Array(buffer).fill(1);
  return buffer.byteLength;
}
