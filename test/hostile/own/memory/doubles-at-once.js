// Attack: a list filled at once beyond the heap: V8 ends the process instead of the isolate (isolated-vm issue 186).
// Expect: OUT_OF_MEMORY
// Guard: told-as-memory
async function main() {
  return new Array(16 * 1_048_576 - 8).fill(1.5).length;
}
