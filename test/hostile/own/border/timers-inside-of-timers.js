// Attack: A delay whose valueOf makes the next timer, 1,500 deep: each was allowed when it began (our own bridge.js looked at the limit before the delay).
// Expect: SCRIPT_ERROR
// Guard: timer-limit-after-delay
async function main() {
  let left = 1_500;
  const delay = {
    valueOf() {
      if (left-- > 0) setTimeout(() => undefined, delay);
      return 1e9;
    },
  };
  setTimeout(() => undefined, delay);
  return "made";
}
