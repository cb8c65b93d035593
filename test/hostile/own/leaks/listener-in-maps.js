// Attack: Map.prototype.set is replaced by one that keeps what the next call puts into a Map.
// Expect: value null
// Guard tool: hardened-language
// Guard call: one-isolate-per-call
// Before: this
async function main({ turn }) {
  const { set } = Map.prototype;
  if (turn === 2) {
    new Map().set("card", "4111");
    return set.heard;
  }
  const listener = function (key, value) {
    listener.heard = value;
    return Reflect.apply(set, this, [key, value]);
  };
  Object.defineProperty(Map.prototype, "set", { value: listener });
}
