// Attack: Properties of the call's own global object under each of its names: they are not frozen.
// Expect: value [null,null,null]
// Mode: tool
// Guard: global-of-one-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return [globalThis.leftOne, self.leftTwo, global.leftThree];
  globalThis.leftOne = self.leftTwo = global.leftThree = "left";
}
