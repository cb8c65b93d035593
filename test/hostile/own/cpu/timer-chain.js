// Attack: no loop at all, but a timer that arms the next one for ever; each turn is short, only their sum is not.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  await new Promise(() => {
    const again = () => setTimeout(again, 1);
    again();
  });
}
