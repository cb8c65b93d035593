// Attack: the border makes text of a progress message; toString() of the message never comes back, so that the loop runs inside the border's own function.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  g.run.progress(1, 2, {
    toString() {
      for (;;);
    },
  });
}
