// Attack: A call writes its arguments and its id where the next call of another person looks for them.
// Expect: value null
// Guard tool: hardened-global
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  const realm = Object.getPrototypeOf(globalThis);
  if (turn === 2) return realm.seen;
  realm.seen = JSON.stringify([g.tool.args, g.run.id]);
}
