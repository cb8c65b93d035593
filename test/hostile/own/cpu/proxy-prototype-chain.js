// Attack: reading a property walks a prototype that is a Proxy which hands out ever new prototypes: a loop without one in the source.
// Expect: TIMEOUT
// Limit: 200
// Guard: time-limit
async function main() {
  const endless = new Proxy(Object.create(null), { get: (target, name, receiver) => Reflect.get(Object.create(endless), name, receiver) });
  for (;;) {
    try {
      endless.a;
    } catch {
      // The end of the stack ends one walk.
    }
  }
}
