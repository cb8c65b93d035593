// The web's names of a call. Each is made when the call first asks for it, out of nothing that another call has: what a
// script puts on URL or on Headers.prototype is gone with its call. A script is given those its text mentions; the
// others are found on its global object.

/** Name to kind. */
const WEB_NAMES = {
  __proto__: null,
  DOMException: "errors",
  Event: "events",
  EventTarget: "events",
  AbortController: "abort",
  AbortSignal: "abort",
  URL: "url",
  URLSearchParams: "url",
  TextEncoder: "encoding",
  TextDecoder: "encoding",
  atob: "encoding",
  btoa: "encoding",
  structuredClone: "clone",
  Blob: "files",
  File: "files",
  FormData: "files",
  Headers: "headers",
  Request: "request",
  Response: "response",
  crypto: "crypto",
  performance: "time",
  queueMicrotask: "tasks",
  setInterval: "tasks",
  clearInterval: "tasks",
};

/** Gives `new` the object it is called with. */
function givenObject(object) {
  return object;
}

/** Keeps the call of a script's global object on that object, where only this class sees it. Cheaper than a weak map. */
class ScopeMark extends givenObject {
  #state;
  constructor(scope, state) {
    super(scope);
    this.#state = state;
  }
  static stateOf(value) {
    return isObject(value) && #state in value ? value.#state : undefined;
  }
}

/** How objects of the web's classes are shown in a log: object to a function that gives text. */
const webTexts = new RawWeakMap();

/** Names of the classes whose objects are no data, by object: neither a result nor structuredClone takes them. */
const webKinds = new RawWeakMap();

/** The code of the names: {groups, services, addSamples}. It is not even compiled before a call asks for a name. */
let webCode;

function web() {
  webCode ??= openWeb();
  return webCode;
}

/** What a kind has made for this call. Kept only when it is whole: a script may be at the end of its stack. */
function webGroup(state, kind) {
  state.web[kind] ??= web().groups[kind](state);
  return state.web[kind];
}

function webName(state, name) {
  return webGroup(state, WEB_NAMES[name]).names[name];
}

/** Services that only find out what an object is: without the code there are no such objects. */
const WEB_QUESTIONS = { __proto__: null, content: true, isHeaders: true, request: true };

function askWeb(state, service, value) {
  if (webCode === undefined && WEB_QUESTIONS[service] === true) return undefined;
  return web().services[service](state, value);
}

/**
 * Accessors for the realm's global object, which every call's own inherits from. They are asked of the call's own, so
 * that the names cost nothing until then; asked of the realm's they give nothing. A setter writes to the call's own only.
 */
const scopeAccessors = makeScopeAccessors();

function makeScopeAccessors() {
  const accessors = bareArray();
  const names = objectKeys(WEB_NAMES);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    const accessor = {
      get value() {
        const state = ScopeMark.stateOf(this);
        return state === undefined ? undefined : webName(state, name);
      },
      set value(value) {
        if (ScopeMark.stateOf(this) === undefined) throw new RawTypeError(`${name} cannot be set here.`);
        define(this, name, value, false);
      },
    };
    const { get, set } = getOwnPropertyDescriptor(accessor, "value");
    accessors[index] = { __proto__: null, name, get, set };
  }
  return accessors;
}

/** Once when the realm is made, and again when ses has removed what it knows by name. */
function defineScopeNames() {
  for (let index = 0; index < scopeAccessors.length; index++) {
    const { name, get, set } = scopeAccessors[index];
    defineProperty(realGlobal, name, { __proto__: null, get, set, enumerable: false, configurable: true });
  }
}
