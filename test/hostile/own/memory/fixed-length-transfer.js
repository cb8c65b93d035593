// Attack: transferToFixedLength() of a buffer with a maximum: the same by the other name, reached through the prototype of a view's buffer.
// Expect: value "undefined"
// Guard: removed-buffer-growth
async function main() {
  const { buffer } = new Uint8Array(8);
  return typeof Object.getPrototypeOf(buffer).transferToFixedLength;
}
