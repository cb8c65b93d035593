// Attack: Object.keys that invents names: the border would take them for the script's answer, and for its own records.
// Expect: value {"a":1}
// Guard: captured-object
// Mode: call
async function main() {
  const { keys } = Object;
  Object.keys = (value) => [...keys(value), "invented"];
  Object.prototype.invented = 1;
  return { a: 1 };
}
