// Attack: a WebAssembly memory is outside of V8's heap and of the isolate's limit (facts: 1.3 GB at a limit of 64 MiB).
// Expect: value "nowhere to be had"
// Guard: removed-webassembly
// Mode: call
async function main() {
  const found = globalThis.WebAssembly ?? Function("return this")().WebAssembly;
  if (found === undefined) return "nowhere to be had";
  const memory = new found.Memory({ initial: 16_000, maximum: 65_536 });
  new Uint8Array(memory.buffer).fill(1);
  return memory.buffer.byteLength;
}
