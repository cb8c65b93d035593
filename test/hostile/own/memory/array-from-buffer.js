// Attack: copies a buffer element by element into an array made as long as it: V8 gives up the whole process (isolated-vm issue 527).
// Expect: OUT_OF_MEMORY
// Guard: told-as-memory
async function main() {
  const buffer = new ArrayBuffer(40 * 1_048_576);
  const view = new Array(buffer.byteLength);
  const bytes = new Uint8Array(buffer);
  let index = view.length;
  while (index--) view[index] = bytes[index];
  return view.length;
}
