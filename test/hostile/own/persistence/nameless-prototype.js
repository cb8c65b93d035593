// Attack: A property on the prototype of async generators, which no name leads to (ses issues: intrinsics found only through syntax).
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
const prototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

async function main({ turn }) {
  if (turn === 2) return prototype.left;
  prototype.left = "left";
}
