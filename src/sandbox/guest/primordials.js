// Everything the border inside the isolate uses of the language is taken here, before any script runs: a script that
// replaces JSON.stringify, Promise or a prototype method changes its own world, never the border's.
// Rules for all files of this folder: no for-of, no spread of foreign values, no array methods, no regular expressions,
// records have a null prototype, and a foreign object is only read inside try.

const { apply, construct, ownKeys } = Reflect;
const {
  create: objectCreate,
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isFrozen,
  keys: objectKeys,
  setPrototypeOf,
} = Object;
const isArray = Array.isArray;
const { parse: jsonParse, stringify: jsonStringify } = JSON;
const { fromCharCode } = String;
const { isFinite: isFiniteNumber } = Number;
const { ceil, floor, max, min, trunc } = Math;
const dateNow = Date.now;
const encodeComponent = encodeURIComponent;
const realGlobal = globalThis;

const RawArrayBuffer = ArrayBuffer;
const RawDataView = DataView;
const RawDate = Date;
const RawError = Error;
const RawFunction = Function;
const RawMap = Map;
const RawObject = Object;
const RawPromise = Promise;
const RawRangeError = RangeError;
const RawRegExp = RegExp;
const RawSet = Set;
const RawString = String;
const RawSyntaxError = SyntaxError;
const RawTypeError = TypeError;
const RawUint16Array = Uint16Array;
const RawUint8Array = Uint8Array;
const RawWeakMap = WeakMap;
const RawWeakSet = WeakSet;

// Frames of the border stand above the script's in errors of g.*, and the script's are the ones to show.
RawError.stackTraceLimit = 20;

/** The method as a function of (this, ...arguments). */
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const getterOf = (owner, name) => uncurry(getOwnPropertyDescriptor(owner, name).get);

const stringSlice = uncurry(String.prototype.slice);
const stringIndexOf = uncurry(String.prototype.indexOf);
const stringLastIndexOf = uncurry(String.prototype.lastIndexOf);
const stringStartsWith = uncurry(String.prototype.startsWith);
const stringLowerCase = uncurry(String.prototype.toLowerCase);
const stringUpperCase = uncurry(String.prototype.toUpperCase);
const stringTrim = uncurry(String.prototype.trim);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const isWellFormed = uncurry(String.prototype.isWellFormed);
const toWellFormed = uncurry(String.prototype.toWellFormed);
const stringValue = uncurry(String.prototype.valueOf);
const numberValue = uncurry(Number.prototype.valueOf);
const booleanValue = uncurry(Boolean.prototype.valueOf);
const bigintValue = uncurry(BigInt.prototype.valueOf);
const symbolText = uncurry(Symbol.prototype.toString);
const objectText = uncurry(Object.prototype.toString);

const dateTime = uncurry(Date.prototype.getTime);
const dateIso = uncurry(Date.prototype.toISOString);
const rawDateToJson = Date.prototype.toJSON;
const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapForEach = uncurry(Map.prototype.forEach);
const setForEach = uncurry(Set.prototype.forEach);
const setAdd = uncurry(Set.prototype.add);
const setHas = uncurry(Set.prototype.has);
const setDelete = uncurry(Set.prototype.delete);
const weakMapGet = uncurry(WeakMap.prototype.get);
const weakMapSet = uncurry(WeakMap.prototype.set);
const weakSetAdd = uncurry(WeakSet.prototype.add);
const weakSetHas = uncurry(WeakSet.prototype.has);
const arraySort = uncurry(Array.prototype.sort);
const regExpSource = getterOf(RegExp.prototype, "source");
const regExpFlags = getterOf(RegExp.prototype, "flags");
const errorPrototype = Error.prototype;
const iteratorPrototype = getPrototypeOf(getPrototypeOf([].values()));
/** Of the functions themselves, not of what they give. */
const generatorPrototype = getPrototypeOf(function* () {
  yield;
});
const asyncGeneratorPrototype = getPrototypeOf(async function* () {
  yield;
});
/** Kinds of errors that keep their kind when they are cloned. */
const errorClasses = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
const typedArrayBuffer = getterOf(typedArrayPrototype, "buffer");
const typedArrayOffset = getterOf(typedArrayPrototype, "byteOffset");
const typedArrayByteLength = getterOf(typedArrayPrototype, "byteLength");
const typedArrayLength = getterOf(typedArrayPrototype, "length");
const typedArrayTag = getterOf(typedArrayPrototype, Symbol.toStringTag);
const typedArraySet = uncurry(typedArrayPrototype.set);
const typedArraySlice = uncurry(typedArrayPrototype.slice);
const typedArraySubarray = uncurry(typedArrayPrototype.subarray);
const dataViewBuffer = getterOf(DataView.prototype, "buffer");
const dataViewOffset = getterOf(DataView.prototype, "byteOffset");
const dataViewByteLength = getterOf(DataView.prototype, "byteLength");
const arrayBufferSlice = uncurry(ArrayBuffer.prototype.slice);
const arrayBufferByteLength = getterOf(ArrayBuffer.prototype, "byteLength");
const isView = ArrayBuffer.isView;

const TYPED_ARRAYS = [
  ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
  ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array],
];
/** Typed arrays by name. */
const typedArrayClasses = { __proto__: null };
for (const Class of TYPED_ARRAYS) typedArrayClasses[Class.name] = Class;
if (typeof Float16Array === "function") typedArrayClasses.Float16Array = Float16Array;

/** An array whose indices can be written without meeting a setter on a prototype. */
const bareArray = () => setPrototypeOf([], null);

/**
 * The prototype of the border's own records. Nothing can be found on it, as with none at all; but V8 keeps objects without a
 * prototype as tables, which are slow to make, to freeze and to read.
 */
const NOTHING = freeze({ __proto__: null });

/** A record's own value, never one from a prototype. */
const ownValue = (record, name) => (hasOwn(record, name) ? record[name] : undefined);

function isObject(value) {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Sets an own property whatever stands on the prototypes. */
function define(target, name, value, enumerable) {
  defineProperty(target, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
}
