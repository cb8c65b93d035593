// Attack: Set.prototype.add that keeps the set it is called on: the border's own list of open objects, to take objects out of.
// Expect: value {"a":{"b":false}}
// Guard: captured-collections
// Mode: call
async function main() {
  let taken;
  const { add } = Set.prototype;
  Set.prototype.add = function (value) {
    taken = this;
    return Reflect.apply(add, this, [value]);
  };
  return { a: { get b() { return taken !== undefined; } } };
}
