// Attack: The parent of the class File is exchanged for one that gives Math, so that the border marks an object of all calls as a File (found in our own web-files.js).
// Expect: value [true,true]
// Mode: tool
// Guard: blobs-of-one-call
// Before: this
const bits = [Math, JSON];

function isPlain(object) {
  try {
    return structuredClone(object) !== undefined;
  } catch {
    return false;
  }
}

async function main({ turn }) {
  if (turn === 2) return bits.map(isPlain);
  Object.setPrototypeOf(File, function () {
    return Math;
  });
  new File([], "left");
}
