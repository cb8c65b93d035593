// Attack: Array.prototype.fill over four thousand million holes is one step for V8 and is not interrupted (isolated-vm issues 107 and 186).
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  return new Array(2 ** 32 - 2).fill(0).length;
}
