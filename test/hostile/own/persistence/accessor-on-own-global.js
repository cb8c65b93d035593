// Attack: The same with a name of the web, replaced by an accessor that cannot be configured again.
// Expect: value "function"
// Mode: tool
// Guard: global-of-one-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return typeof globalThis["U" + "RL"];
  Object.defineProperty(globalThis, "U" + "RL", { get: () => "left" });
}
