// Attack: toJSON of sloppy code asks which of the border's functions called it.
// Expect: value {"caller":"null"}
// Guard: strict-border
async function main() {
  const toJSON = Function("return function toJSON() { return { caller: toJSON.caller === null ? 'null' : typeof toJSON.caller }; };")();
  return { toJSON };
}
