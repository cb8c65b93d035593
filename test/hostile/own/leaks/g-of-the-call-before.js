// Attack: g itself is kept on a namespace, with the arguments and the settings of its call in it.
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return Reflect.g?.tool.args.turn;
  Reflect.g = g;
}
