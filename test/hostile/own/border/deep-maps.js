// Attack: 700 Maps in each other: written as pairs each takes two levels of JSON, so that counting Maps is not counting levels.
// Expect: SCRIPT_ERROR
// Guard: map-depth
async function main() {
  let map = 1;
  for (let level = 0; level < 700; level++) map = new Map([[level, map]]);
  return map;
}
