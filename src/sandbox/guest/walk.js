// The proof that a realm is closed: everything a script can reach is visited twice, each time from new instances and a
// new call, and what is not frozen may not be the same object both times. What a closure holds cannot be seen this way.

/** Most findings that are told; one is enough to refuse the realm. */
const MOST_FINDINGS = 20;

/** Paths of objects and setters that two calls would share. */
function walkRealm(realm) {
  const first = visit(realm);
  const second = visit(realm);
  const findings = [];
  for (const [value, path] of first) if (second.has(value)) findings.push(path);
  return findings.slice(0, MOST_FINDINGS);
}

/** What one visit finds open: objects that are not frozen, setters that are not known to be harmless, the engine's Error. */
function visit(realm) {
  const open = new Map();
  const seen = new Set();
  const waiting = [];
  const add = (value, path) => {
    if ((typeof value !== "object" || value === null) && typeof value !== "function") return;
    if (seen.has(value)) return;
    seen.add(value);
    waiting.push({ value, path });
  };
  add(globalThis, "globalThis");
  for (const [name, sample] of samples()) add(sample, name);
  const values = realm.sampleCall();
  for (let index = 0; index < values.length; index++) add(values[index], `call[${index}]`);
  while (waiting.length > 0) {
    const { value, path } = waiting.pop();
    if (!Object.isFrozen(value)) open.set(value, path);
    if (value === realm.rawError) open.set(value, `${path} (the engine's own Error)`);
    add(Object.getPrototypeOf(value), `${path}.__proto__`);
    visitProperties(value, path, add, open);
    visitGetters(value, path, add);
  }
  return open;
}

function visitProperties(value, path, add, open) {
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    const place = `${path}.${String(key)}`;
    add(descriptor.value, place);
    add(descriptor.get, `${place} (getter)`);
    add(descriptor.set, `${place} (setter)`);
    if (descriptor.set !== undefined && !isHarmlessSetter(value, key, descriptor.set)) open.set(descriptor.set, `${place} (setter)`);
  }
}

/** Setters of the language itself write to `this` only; those of relieved prototypes are known by identity. */
function isHarmlessSetter(owner, key, setter) {
  if (harmlessSetters.has(setter)) return true;
  if (key === "callee") return setter === throwerOf();
  if (owner === Object.prototype) return key === "__proto__";
  return owner === Iterator.prototype && (key === "constructor" || key === Symbol.toStringTag);
}

/** The language's one function that only throws, %ThrowTypeError%. */
function throwerOf() {
  return Object.getOwnPropertyDescriptor(new Function('"use strict"; return arguments;')(), "callee").get;
}

/** Getters of the prototypes, asked of the instance: some give objects that no property holds. */
function visitGetters(value, path, add) {
  for (let owner = value; owner !== null; owner = Object.getPrototypeOf(owner)) {
    for (const key of Reflect.ownKeys(owner)) {
      const { get } = Object.getOwnPropertyDescriptor(owner, key);
      if (get === undefined) continue;
      try {
        add(Reflect.apply(get, value, []), `${path}.${String(key)}`);
      } catch {
        // The getter is for other objects than this one.
      }
    }
  }
}
