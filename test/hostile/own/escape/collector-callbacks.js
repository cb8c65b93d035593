// Attack: a FinalizationRegistry runs a function of the script when the collector finds time, which may be in another call.
// Expect: value ["undefined","undefined"]
// Guard: removed-collectors
async function main() {
  const realm = Function("return this")() ?? globalThis;
  return [typeof (globalThis.FinalizationRegistry ?? realm.FinalizationRegistry), typeof (globalThis.WeakRef ?? realm.WeakRef)];
}
