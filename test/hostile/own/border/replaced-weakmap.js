// Attack: WeakMap.prototype.get is replaced by one that finds a code for every error: it is where the border keeps them.
// Expect: SCRIPT_ERROR
// Mode: call
// Guard: own-weak-maps
async function main() {
  WeakMap.prototype.get = () => "SECRET_ACCESS_DENIED";
  throw new Error("a");
}
