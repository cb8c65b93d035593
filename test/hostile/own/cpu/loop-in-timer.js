// Attack: computes for ever in a timer's function, after main() handed control back; the limit of a turn is all that can end it.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  return await new Promise(() => {
    setTimeout(() => {
      for (;;);
    }, 1);
  });
}
