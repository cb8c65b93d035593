// Makes a realm in which no call can leave anything for the next. Runs once per isolate, after ses is loaded and before
// any script. The order matters: repair, mend, make inherited names assignable, harden, remove, harden the rest.
// `lockdown` of ses alone leaves channels open; the walk (walk.js) is the proof that this does not.

/** Setters that are known to write only to the object they are called on, or nothing at all. */
const harmlessSetters = new WeakSet();

/** Gives the paths of what is still not frozen, one a line; "" means that the realm is closed. */
function hardenRealm(realm) {
  // Set before ses was loaded, so that ses adds nothing to buffers.
  delete ArrayBuffer.prototype.sliceToImmutable;
  // ses reads from a console; the one scripts use belongs to their call.
  globalThis.console = {};
  const { escape: escapeText } = RegExp;
  const { isError } = Error;
  repairIntrinsics({
    errorTaming: "unsafe",
    stackFiltering: "verbose",
    overrideTaming: "min",
    consoleTaming: "unsafe",
    evalTaming: "unsafe-eval",
    localeTaming: "unsafe",
  });
  mendErrors(realm.rawError);
  mendConstructors();
  keepFunction(RegExp, "escape", escapeText);
  keepFunction(Error, "isError", isError);
  realm.defineScopeNames();
  for (let index = 0; index < realm.scopeAccessors.length; index++) harmlessSetters.add(realm.scopeAccessors[index].set);
  const prototypes = findPrototypes();
  for (const prototype of prototypes) relievePrototype(prototype);
  hardenIntrinsics();
  const { harden } = globalThis;
  removeNames();
  for (const hidden of hiddenPrototypes()) harden(hidden);
  harden(globalThis);
  return walkRealm(realm).join("\n");
}

/**
 * ses leaves the global `Error` with setters that reach the engine's own: one call could change the stacks of the next.
 * The shared Error of ses has none; what it lacks is a captureStackTrace that works.
 */
function mendErrors(rawError) {
  const SharedError = Error.prototype.constructor;
  const rawCapture = rawError.captureStackTrace;
  const { captureStackTrace } = {
    captureStackTrace(target, above) {
      Reflect.apply(rawCapture, rawError, [target, above]);
    },
  };
  Object.defineProperty(SharedError, "captureStackTrace", { value: captureStackTrace, writable: false, configurable: true });
  for (const name of ["stackTraceLimit", "prepareStackTrace"]) {
    harmlessSetters.add(Object.getOwnPropertyDescriptor(SharedError, name).set);
  }
  // The engine's setter of `stack` writes to the error it is called on.
  const ownStack = Object.getOwnPropertyDescriptor(new rawError(""), "stack");
  if (ownStack.set !== undefined) harmlessSetters.add(ownStack.set);
  globalThis.Error = SharedError;
  if (typeof SuppressedError === "function") Object.setPrototypeOf(SuppressedError, SharedError);
}

/** ses keeps a second, weaker constructor behind some prototypes for compartments, which are not used here. */
function mendConstructors() {
  for (const name of ["Date", "Function", "RegExp", "Symbol"]) {
    const { prototype } = globalThis[name];
    if (prototype.constructor !== globalThis[name]) Object.defineProperty(prototype, "constructor", { value: globalThis[name] });
  }
  delete Object[Symbol.for("harden")];
}

/** Puts back a function that this ses does not know, and so has taken away; one that only reads its arguments. */
function keepFunction(owner, name, value) {
  if (value !== undefined) Object.defineProperty(owner, name, { value, writable: true, enumerable: false, configurable: true });
}

function removeNames() {
  for (const name of ["lockdown", "repairIntrinsics", "hardenIntrinsics", "Compartment", "ModuleSource"]) delete globalThis[name];
  for (const name of ["assert", "harden", "getStackString", "console", "__core-js_shared__"]) delete globalThis[name];
  for (const name of ["FinalizationRegistry", "WeakRef", "WebAssembly", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];
}

/** Prototypes of all constructors that a name leads to. */
function findPrototypes() {
  const found = new Set();
  const add = (value) => {
    if (typeof value === "function" && typeof value.prototype === "object" && value.prototype !== null) found.add(value.prototype);
  };
  for (const name of Reflect.ownKeys(globalThis)) add(globalThis[name]);
  for (const name of Reflect.ownKeys(Intl)) add(Intl[name]);
  found.add(Function.prototype);
  found.add(Object.getPrototypeOf(Uint8Array.prototype));
  return found;
}

/**
 * On a frozen prototype `object.toString = …` throws ("override mistake"). An accessor whose setter defines the
 * property on the object itself makes the assignment work. Only names that are strings: an accessor at
 * Array.prototype[Symbol.iterator] would make every spread twenty times slower.
 */
function relievePrototype(prototype) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    if (!descriptor.configurable || !descriptor.writable) continue;
    const { value } = descriptor;
    const { get, set } = Object.getOwnPropertyDescriptor(
      {
        get [name]() {
          return value;
        },
        set [name](newValue) {
          if (this === prototype) throw new TypeError(`Cannot assign to read only property '${name}'`);
          if (Object.hasOwn(this, name)) this[name] = newValue;
          else Object.defineProperty(this, name, { value: newValue, writable: true, enumerable: true, configurable: true });
        },
      },
      name,
    );
    // The hardening follows properties, not closures: without this one it would not reach `value`.
    Object.defineProperty(get, "originalValue", { value });
    harmlessSetters.add(set);
    Object.defineProperty(prototype, name, { get, set, enumerable: descriptor.enumerable, configurable: true });
  }
}

/** Prototypes that no name and no constructor leads to, and that ses does not know. */
function hiddenPrototypes() {
  const segments = new Intl.Segmenter().segment("a");
  return [Object.getPrototypeOf(segments), Object.getPrototypeOf(segments[Symbol.iterator]())];
}
