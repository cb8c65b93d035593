// Attack: The same with an AbortSignal, and a message of four bits in four shared objects (found in our own web-abort.js).
// Expect: value [true,true,true,true]
// Mode: tool
// Guard: targets-of-one-call
// Before: this
const bits = [Math, JSON, Reflect, Intl];

function isPlain(object) {
  try {
    return structuredClone(object) !== undefined;
  } catch {
    return false;
  }
}

async function main({ turn }) {
  if (turn === 2) return bits.map(isPlain);
  for (const bit of [1, 3]) {
    Object.setPrototypeOf(AbortSignal, function () {
      return bits[bit];
    });
    try {
      new AbortController();
    } catch {
      // Refused, or the mark is made and the rest fails.
    }
  }
}
