// Attack: Forty levels of a list that has the next one twice: a small value without a cycle, and a trillion members once written ("billion laughs").
// Expect: RESULT_TOO_LARGE
// Guard: result-size
async function main() {
  let laugh = ["ha"];
  for (let level = 0; level < 40; level++) laugh = [laugh, laugh];
  return laugh;
}
