// Attack: performance.timeOrigin, which would tell when somebody's first call was.
// Expect: value true
// Mode: tool
// Guard: web-names-of-one-call
// Before: this
async function main({ turn }) {
  const now = Date.now();
  if (turn === 2) return now - performance.timeOrigin < 150;
  void performance.timeOrigin;
  await g.run.sleep(200);
}
