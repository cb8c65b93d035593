// What the walk starts from: one new instance of everything the language can make, also of what has no name.

/** Expressions, evaluated as text so that each keeps its exact form. */
const EXPRESSIONS = {
  arguments: "(function () { return arguments; })(1)",
  sloppyArguments: "new Function('return arguments')(1)",
  function: "function () {}",
  sloppyFunction: "new Function('a', 'return a')",
  arrow: "() => undefined",
  method: "({ method() {} }).method",
  getter: "Object.getOwnPropertyDescriptor({ get a() { return 1; } }, 'a')",
  class: "class { #a; static b = 1; c() {} }",
  derived: "class extends Array {}",
  asyncFunction: "async function () {}",
  asyncArrow: "async () => undefined",
  generatorFunction: "function* () {}",
  generator: "(function* () {})()",
  asyncGeneratorFunction: "async function* () {}",
  asyncGenerator: "(async function* () {})()",
  asyncGeneratorResult: "(async function* () {})().next()",
  bound: "(function () {}).bind(null)",
  proxy: "new Proxy({}, {})",
  revocable: "Proxy.revocable({}, {})",
  template: "((strings) => strings)`ab`",
  globalByEval: "(0, eval)('this')",
  globalByFunction: "Function('return this')()",
  array: "[1]",
  regExp: "/(?<name>a)/dgu",
  match: "/(?<name>a)/du.exec('a')",
  matchAll: "'a'.matchAll(/a/g)",
  matchAllResult: "'a'.matchAll(/a/g).next()",
  stringIterator: "'a'[Symbol.iterator]()",
  arrayIterator: "[1].values()",
  mapIterator: "new Map([[1, 1]]).entries()",
  setIterator: "new Set([1]).entries()",
  iteratorHelper: "[1].values().map((value) => value)",
  wrappedIterator: "Iterator.from({ next: () => ({ done: true }) })",
  iteratorResult: "[1].values().next()",
  map: "new Map()",
  set: "new Set()",
  weakMap: "new WeakMap()",
  weakSet: "new WeakSet()",
  promise: "Promise.resolve(1)",
  resolvers: "Promise.withResolvers()",
  buffer: "new ArrayBuffer(8)",
  view: "new DataView(new ArrayBuffer(8))",
  bytes: "new Uint8Array(2)",
  floats: "new Float64Array(2)",
  bigints: "new BigInt64Array(2)",
  date: "new Date(0)",
  error: "new Error('a')",
  errorWithCause: "new Error('a', { cause: new Error('b') })",
  aggregate: "new AggregateError([], 'a')",
  suppressed: "typeof SuppressedError === 'function' ? new SuppressedError(1, 2) : {}",
  disposableStack: "typeof DisposableStack === 'function' ? new DisposableStack() : {}",
  asyncDisposableStack: "typeof AsyncDisposableStack === 'function' ? new AsyncDisposableStack() : {}",
  boxedNumber: "Object(1)",
  boxedString: "Object('a')",
  boxedBoolean: "Object(true)",
  boxedBigint: "Object(1n)",
  boxedSymbol: "Object(Symbol('a'))",
  registeredSymbol: "Object(Symbol.for('a'))",
  grouped: "Object.groupBy([1], () => 'a')",
  json: "JSON.parse('{\"a\":[{}]}')",
  stack: "Object.getOwnPropertyDescriptor(new Error('a'), 'stack')",
  captured: "((target) => (Error.captureStackTrace(target), target))({})",
};

/** Expressions that fail inside the engine: its errors are made without `new`. */
const FAILING_EXPRESSIONS = {
  typeError: "null.a",
  referenceError: "absentName",
  syntaxError: "new Function('(')",
  rangeError: "new Array(-1)",
  uriError: "decodeURIComponent('%')",
  jsonError: "JSON.parse('{')",
  overflow: "(function again() { return again() + 1; })()",
  strictCaller: "(function () { 'use strict'; return arguments.callee; })()",
};

/** [name, instance] of each. */
function* samples() {
  for (const table of [EXPRESSIONS, FAILING_EXPRESSIONS]) {
    for (const name of Object.keys(table)) yield [`<${name}>`, resultOrError(new Function(`return ${table[name]};`))];
  }
  for (const name of Object.getOwnPropertyNames(Intl)) {
    const Make = Intl[name];
    if (typeof Make !== "function" || Make.prototype === undefined) continue;
    for (const sample of intlSamples(name, Make)) yield [`<Intl.${name}>`, sample];
  }
}

/** What the function gives, or what it throws: an error is an instance too. */
function resultOrError(make) {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

/** `type: "language"` is what DisplayNames needs; the others ignore it. */
function intlSamples(name, Make) {
  const instance = resultOrError(() => new Make("en", { type: "language" }));
  const found = [instance];
  if (name === "Segmenter") {
    const segments = instance.segment("a b");
    found.push(segments, segments[Symbol.iterator](), segments[Symbol.iterator]().next(), segments.containing(0));
  }
  if (typeof instance.resolvedOptions === "function") found.push(instance.resolvedOptions());
  if (typeof instance.formatToParts === "function") found.push(resultOrError(() => instance.formatToParts(1)));
  return found;
}
