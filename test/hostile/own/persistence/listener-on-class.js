// Attack: A static of Headers that keeps what the call had, for the next to ask for.
// Expect: value null
// Mode: tool
// Guard: web-names-of-one-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return Headers.kept?.().id;
  const { id } = g.run;
  Headers.kept = () => ({ id });
}
