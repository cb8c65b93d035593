// Attack: inherited methods are accessors; what their getters give is reached by no property, and could be open.
// Expect: value []
// Guard: reachable-originals
// Mode: tool
async function main() {
  const open = [];
  for (const [owner, name] of [[Array.prototype, "map"], [Object.prototype, "toString"], [Map.prototype, "get"], [Error.prototype, "toString"], [Intl.NumberFormat.prototype, "resolvedOptions"]]) {
    const { get, value } = Object.getOwnPropertyDescriptor(owner, name);
    const original = get === undefined ? value : Reflect.apply(get, owner, []);
    if (!Object.isFrozen(original)) open.push(name);
  }
  return open;
}
