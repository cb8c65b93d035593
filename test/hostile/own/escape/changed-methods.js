// Attack: replaces methods that everybody calls, among them those of functions that have no name of their own.
// Expect: value []
// Guard: hardened-language
// Mode: tool
async function main() {
  const owners = { push: Array.prototype, then: Promise.prototype, call: Function.prototype, stringify: JSON, next: (function* () {})().__proto__.__proto__.__proto__ };
  const changed = [];
  for (const [name, owner] of Object.entries(owners)) {
    try {
      Object.defineProperty(owner, name, { value: () => "changed" });
      changed[changed.length] = name;
    } catch {
      // It is frozen.
    }
  }
  return changed;
}
