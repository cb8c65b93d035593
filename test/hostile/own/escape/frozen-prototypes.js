// Attack: puts something on every prototype that a constructor leads to, and looks which of it stayed.
// Expect: value []
// Guard: hardened-language
// Mode: tool
async function main() {
  const stayed = [];
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(globalThis))) {
    if (/^[a-z]/.test(name)) continue;
    const made = globalThis[name];
    for (const target of [made, made?.prototype]) {
      if (target === undefined || Object(target) !== target) continue;
      // The web's classes are made anew for each call.
      if (Object.getOwnPropertyDescriptor(Object.getPrototypeOf(globalThis), name).get !== undefined) continue;
      if (Reflect.set(target, "left", 1) && Object.hasOwn(target, "left")) stayed.push(name);
    }
  }
  return stayed;
}
