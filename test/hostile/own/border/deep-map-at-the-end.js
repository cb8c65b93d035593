// Attack: 999 lists, and a Map of pairs where only one level is left.
// Expect: SCRIPT_ERROR
// Guard: map-depth
async function main() {
  let value = new Map([[1, 1]]);
  for (let level = 0; level < 999; level++) value = [value];
  return value;
}
