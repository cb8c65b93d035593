/** Ways through objects that all calls of a realm share. */
import { type Way, way } from "./realm-way.ts";

/** Expressions for shared objects: a property on any of them would be seen by the next call. */
export const SHARED_OBJECTS = [
  // namespaces and functions
  ...[
    "Math",
    "JSON",
    "Reflect",
    "Intl",
    "parseInt",
    "isNaN",
    "escape",
    "eval",
    "encodeURIComponent",
    "Object",
    "Function",
    "Array",
    "String",
  ],
  ...[
    "Number",
    "Boolean",
    "Symbol",
    "BigInt",
    "Date",
    "RegExp",
    "Promise",
    "Proxy",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "ArrayBuffer",
    "DataView",
  ],
  ...["Uint8Array", "Float64Array", "BigInt64Array", "Error", "TypeError", "RangeError", "AggregateError", "Iterator"],
  // prototypes
  ...["Object", "Function", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Date", "RegExp", "Promise"].map(prototypeOf),
  ...["Map", "Set", "WeakMap", "WeakSet", "ArrayBuffer", "DataView", "Uint8Array", "BigInt64Array"].map(prototypeOf),
  ...["Error", "TypeError", "SyntaxError", "AggregateError", "Iterator"].map(prototypeOf),
  // Intl
  ...["Intl.NumberFormat", "Intl.DateTimeFormat", "Intl.Collator", "Intl.PluralRules", "Intl.ListFormat", "Intl.Segmenter"],
  ...["Intl.NumberFormat", "Intl.DateTimeFormat", "Intl.Collator", "Intl.PluralRules", "Intl.RelativeTimeFormat"].map(prototypeOf),
  ...["Intl.Segmenter", "Intl.Locale", "Intl.DisplayNames"].map(prototypeOf),
  "Object.getPrototypeOf(new Intl.Segmenter().segment('a'))",
  "Object.getPrototypeOf(new Intl.Segmenter().segment('a')[Symbol.iterator]())",
  // prototypes without a name
  "Object.getPrototypeOf(Uint8Array)",
  "Object.getPrototypeOf(Uint8Array.prototype)",
  "Object.getPrototypeOf([].values())",
  "Object.getPrototypeOf(''[Symbol.iterator]())",
  "Object.getPrototypeOf(new Map().entries())",
  "Object.getPrototypeOf(new Set().values())",
  "Object.getPrototypeOf('a'.matchAll(/a/g))",
  "Object.getPrototypeOf([].values().map((x) => x))",
  "Object.getPrototypeOf(Iterator.from({ next() {} }))",
  "Object.getPrototypeOf(function* () {})",
  "Object.getPrototypeOf(function* () {}.prototype)",
  "Object.getPrototypeOf(async () => {})",
  "Object.getPrototypeOf(async function* () {})",
  "Object.getPrototypeOf(async function* () {}.prototype)",
  "Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype))",
  // functions behind properties
  "Array.prototype.map",
  "Array.prototype[Symbol.iterator]",
  "Array.prototype[Symbol.unscopables]",
  "Array.from",
  "Promise.prototype.then",
  "Promise.resolve",
  "Function.prototype.call",
  "JSON.stringify",
  "Intl.NumberFormat.supportedLocalesOf",
  "Error.captureStackTrace",
  "Object.getOwnPropertyDescriptor(Map.prototype, 'size').get",
  "Object.getOwnPropertyDescriptor(Object.prototype, '__proto__').set",
  "Object.getOwnPropertyDescriptor(new Error('a'), 'stack').get",
  "RegExp.prototype[Symbol.replace]",
  // what g gives
  "Object.getPrototypeOf(fetch)",
  "Object.getPrototypeOf(g.tool.args)",
  "Object.getPrototypeOf(globalThis)",
];

function prototypeOf(name: string): string {
  return `${name}.prototype`;
}

/** Replaces a function and sees whether the next call runs the replacement. */
const replaced = (place: string, find: string): Way => way(`${place} replaced`, `${place} = () => "left";`, `return ${find};`);

/** Makes a method throw a mark through an accessor or a symbol. */
const redefined = (target: string, key: string, find: string): Way =>
  way(
    `${target}[${key}] redefined`,
    `Object.defineProperty(${target}, ${key}, { get: () => "left", configurable: true });`,
    `try { return String(${find}); } catch (error) { return error.name; }`,
  );

/** Ways that change what the shared objects do. */
export const REPLACED: readonly Way[] = [
  replaced("Array.prototype.push", "[].push(1)"),
  replaced("Array.prototype.includes", "[].includes(1)"),
  replaced("String.prototype.trim", "' a '.trim()"),
  replaced("Number.prototype.toFixed", "(1).toFixed()"),
  replaced("Object.prototype.toString", "String({})"),
  replaced("Object.prototype.valueOf", "({}).valueOf() === 'left'"),
  replaced("Object.prototype.toJSON", "JSON.stringify({})"),
  replaced("Object.keys", "Object.keys({})"),
  replaced("JSON.parse", "JSON.parse('1')"),
  replaced("Math.max", "Math.max(1)"),
  replaced("Math.random", "Math.random() === 'left'"),
  replaced("Date.now", "Date.now() === 'left'"),
  replaced("Date.prototype.getTime", "new Date(0).getTime()"),
  replaced("RegExp.prototype.toString", "/a/.toString()"),
  replaced("Map.prototype.get", "new Map().get(1)"),
  replaced("Set.prototype.has", "new Set().has(1)"),
  replaced("Reflect.ownKeys", "Reflect.ownKeys({})"),
  replaced("Array.isArray", "Array.isArray([])"),
  replaced("Function.prototype.bind", "typeof parseInt.bind()"),
  replaced("Promise.all", "typeof Promise.all([])"),
  replaced("Error.prototype.toString", "new Error('a').toString()"),
  replaced("Intl.NumberFormat.prototype.formatToParts", "new Intl.NumberFormat('en').formatToParts(1)"),
  redefined("Map.prototype", "'size'", "new Map().size"),
  redefined("Array.prototype", "Symbol.iterator", "[...[1]]"),
  redefined("String.prototype", "Symbol.iterator", "[...'ab']"),
  redefined("RegExp.prototype", "'flags'", "/a/g.flags"),
  redefined("RegExp.prototype", "Symbol.replace", "'a'.replace(/a/, 'b')"),
  redefined("Array", "Symbol.species", "[1].map((x) => x)"),
  redefined("Date.prototype", "Symbol.toPrimitive", "new Date(NaN) + ''"),
  redefined("Math", "Symbol.toStringTag", "Math"),
  redefined("Promise.prototype", "'constructor'", "Promise.prototype.constructor === Promise"),
  redefined("Symbol.prototype", "'description'", "Symbol('a').description"),
  way("an index on Array.prototype", "Array.prototype[3] = 'left';", "return new Array(5)[3];"),
  way(
    "a setter on Object.prototype",
    "Object.defineProperty(Object.prototype, 'leftSetter', { set() { this.seen = 1; } });",
    "const o = {}; o.leftSetter = 1; return o.seen;",
  ),
  way("a deleted method", "delete Array.prototype.at;", "return typeof [].at;"),
  way(
    "the prototype of a prototype",
    "Object.setPrototypeOf(Array.prototype, { __proto__: Object.prototype, leftBelow: 1 });",
    "return [].leftBelow;",
  ),
  way("the prototype of a namespace", "Object.setPrototypeOf(Math, { leftMath: 1 });", "return Math.leftMath;"),
  way("the prototype of a constructor", "Object.setPrototypeOf(Int8Array, { leftStatic: 1 });", "return Int8Array.leftStatic;"),
  way("a namespace that cannot be extended", "Object.preventExtensions(Intl);", "return Object.isExtensible(Intl);"),
  way("a frozen namespace", "Object.freeze(Reflect);", "return Object.isFrozen(Reflect);"),
  way("a sealed prototype", "Object.seal(Set.prototype);", "return Object.isSealed(Set.prototype);"),
  way("the name of a function", "Object.defineProperty(parseInt, 'name', { value: 'left' });", "return parseInt.name;"),
  way("the length of a function", "Object.defineProperty(Array.prototype.map, 'length', { value: 9 });", "return [].map.length;"),
  way("an enumerable method", "Object.defineProperty(JSON, 'parse', { enumerable: true });", "return Object.keys(JSON);"),
  way("the default name of errors", "Error.prototype.name = 'Left';", "return String(new Error('a'));"),
  way("the default message of errors", "TypeError.prototype.message = 'left';", "return new TypeError().message;"),
];
