/** Ways through the web's names. Nearly all are inert: the classes are made per call, hardened or not. */
import { inert, type Way, way } from "./realm-way.ts";

/** Expressions for objects of the web's names: a property on any of them would be seen by the next call if it were shared. */
const WEB_OBJECTS = [
  ...["URL", "URLSearchParams", "TextEncoder", "TextDecoder", "Headers", "Request", "Response", "Blob", "File", "FormData"],
  ...["Event", "EventTarget", "AbortController", "AbortSignal", "DOMException"],
].flatMap((name) => [
  name,
  `${name}.prototype`,
  `Object.getPrototypeOf(${name})`.replace("Object.getPrototypeOf(File)", "File.prototype.slice"),
]);

const WEB_VALUES = [
  ...["atob", "btoa", "structuredClone", "queueMicrotask", "setInterval", "clearInterval", "crypto", "crypto.randomUUID", "performance"],
  ...["performance.now", "URL.parse", "URL.prototype.toString", "Response.json", "AbortSignal.any", "Headers.prototype.get"],
  "Object.getOwnPropertyDescriptor(URL.prototype, 'href').set",
  "Object.getPrototypeOf(new URLSearchParams('a').entries())",
  "Object.getPrototypeOf(new Headers({ a: 'b' }).entries()).next",
  "Object.getPrototypeOf(new FormData().keys())",
  "new URL('https://a.example').searchParams",
  "new URL('https://b\\u00fccher.example').searchParams",
  "AbortSignal.abort().reason",
  "new Response('a').headers",
  "new Request('https://a.example').signal",
  "Object.getPrototypeOf(structuredClone(new Map()))",
];

/** Objects whose prototype is one of the language: not frozen in a realm that is not hardened, so the way leads there. */
const THROUGH: ReadonlySet<string> = new Set(["Object.getPrototypeOf(structuredClone(new Map()))"]);

const isThrough = (object: string): boolean => THROUGH.has(object) || /^Object\.getPrototypeOf\(\w+\)$/.test(object);

const property = (object: string): Way =>
  (isThrough(object) && object !== "Object.getPrototypeOf(AbortSignal)" ? way : inert)(
    `a property of ${object}`,
    `(${object}).leftWeb = 1;`,
    `return (${object}).leftWeb;`,
  );

/** The ways. */
export const WEB_STATE: readonly Way[] = [
  ...[...WEB_OBJECTS, ...WEB_VALUES].map(property),
  inert("URL.parse replaced", "URL.parse = () => 'left';", "return String(URL.parse('https://a.example'));"),
  inert("a method of Headers replaced", "Headers.prototype.get = () => 'left';", "return new Headers({ a: 'b' }).get('a');"),
  inert(
    "the body of a Response replaced",
    "Response.prototype.text = async () => 'left';",
    "return await (await fetch('https://a.example/now')).text();",
  ),
  inert("atob replaced on the call's global object", "globalThis.atob = () => 'left';", "return globalThis.atob('YQ==');"),
  inert("a name deleted from the call's global object", "delete globalThis.URL;", "return typeof globalThis.URL;"),
  way(
    "the accessor of a name",
    "Object.getOwnPropertyDescriptor(REAL, 'URL').get.left = 1;",
    "return Object.getOwnPropertyDescriptor(REAL, 'URL').get.left;",
  ),
  way("a name on the realm's global object", "Object.defineProperty(REAL, 'Headers', { value: 'left' });", "return typeof REAL.Headers;"),
  way("a deleted name", "delete REAL.structuredClone;", "return 'structuredClone' in REAL;"),
  inert("a name set through the realm's global object", "REAL.Blob = 'left';", "return typeof globalThis.Blob;"),
  way(
    "the language under the URL parser",
    "Array.prototype.pop = () => 'left';",
    "return new URL('https://a.example/b/../c').href + [1].pop();",
  ),
  way(
    "the language under the form parser",
    "String.fromCodePoint = () => '5f';",
    "return String(new URLSearchParams('a=%41')) + String.fromCodePoint(65);",
  ),
  inert(
    "a listener",
    "new EventTarget().addEventListener('x', () => console.log('left'));",
    "new EventTarget().dispatchEvent(new Event('x'));",
  ),
  inert("a signal that ends by time", "AbortSignal.timeout(2).onabort = () => console.log('left');", "await idle();"),
  inert("an interval", "setInterval(() => console.log('left'), 1);", "await idle();"),
  inert(
    "an interval of the call before, cleared by number",
    "setInterval(() => console.log('left'), 1);",
    "clearInterval(1); await idle();",
  ),
  inert(
    "a microtask that goes on",
    "const on = (n) => n > 0 ? queueMicrotask(() => on(n - 1)) : console.log('left'); on(100);",
    "await idle();",
  ),
  inert(
    "a request that is aborted late",
    "const c = new AbortController(); fetch('https://a.example/late', { signal: c.signal }).catch(() => console.log('left')); setTimeout(() => c.abort(), 2);",
    "await idle();",
  ),
  inert(
    "the state of a decoder",
    "new TextDecoder().decode(new Uint8Array([0xf0, 0x9f]), { stream: true });",
    "return new TextDecoder().decode(new Uint8Array([0x98, 0x80]));",
  ),
  inert(
    "the count of random bytes",
    "for (let i = 0; i < 65; i++) crypto.getRandomValues(new Uint8Array(65536));",
    "return crypto.getRandomValues(new Uint8Array(1)).length;",
  ),
  inert(
    "a stack at its end in the URL parser",
    "let made; const dive = () => { try { dive(); } catch { made ??= new URL('https://b\\u00fccher.example/'); } }; dive();",
    "return new URL('https://b\\u00fccher.example/').href;",
  ),
  inert(
    "a stack at its end in structuredClone",
    "let deep = {}; for (let i = 0; i < 2e4; i++) deep = { deep }; structuredClone(deep);",
    "return structuredClone({ a: 1 });",
  ),
];
