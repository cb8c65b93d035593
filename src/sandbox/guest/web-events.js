// DOMException, Event, EventTarget, AbortController and AbortSignal. What a listener throws has nobody to catch it: as
// with a timer it ends the call.

/** Web IDL: the numbers that old code compares. */
const ERROR_NUMBERS = {
  __proto__: null,
  IndexSizeError: 1,
  HierarchyRequestError: 3,
  WrongDocumentError: 4,
  InvalidCharacterError: 5,
  NoModificationAllowedError: 7,
  NotFoundError: 8,
  NotSupportedError: 9,
  InUseAttributeError: 10,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidModificationError: 13,
  NamespaceError: 14,
  InvalidAccessError: 15,
  TypeMismatchError: 17,
  SecurityError: 18,
  NetworkError: 19,
  AbortError: 20,
  URLMismatchError: 21,
  QuotaExceededError: 22,
  TimeoutError: 23,
  InvalidNodeTypeError: 24,
  DataCloneError: 25,
};

function makeErrorNames() {
  const brand = makeBrand("DOMException");
  class DOMException {
    constructor(message = "", options = "Error") {
      // An error of the engine, for its stack; name and message are read from the class.
      const error = new RawError("");
      const isRecord = isObject(options);
      const record = { __proto__: null, message: `${message}`, name: `${isRecord ? (options.name ?? "Error") : options}` };
      delete error.message;
      if (isRecord && "cause" in options) define(error, "cause", options.cause, false);
      define(error, "stack", `${record.name}: ${record.message}${framesOf(error)}`, false);
      brand.add(error, record);
      // biome-ignore lint/correctness/noConstructorReturn: only the engine makes objects that have a stack.
      return setPrototypeOf(error, new.target.prototype);
    }
    get name() {
      return brand.of(this).name;
    }
    get message() {
      return brand.of(this).message;
    }
    get code() {
      return ERROR_NUMBERS[brand.of(this).name] ?? 0;
    }
  }
  setPrototypeOf(DOMException.prototype, errorPrototype);
  return { __proto__: null, names: { __proto__: null, DOMException: finishClass(DOMException, "DOMException") }, find: brand.find };
}

function domError(state, name, message) {
  return construct(webName(state, "DOMException"), [message, name]);
}

const NO_PHASE = 0;
const AT_TARGET = 2;

function makeEventNames(state) {
  const events = makeBrand("Event");
  const targets = makeBrand("EventTarget");
  const Event = makeEventClass(events);
  const EventTarget = makeTargetClass(state, { __proto__: null, events, targets });
  /** Sends an event of the realm itself, such as "abort". */
  const send = (target, type) => {
    const event = new Event(type);
    events.of(event).isTrusted = true;
    dispatch(state, target, { __proto__: null, event, record: events.of(event), listeners: targets.of(target).listeners });
  };
  return { __proto__: null, names: { __proto__: null, Event, EventTarget }, send, requireTarget: targets.of };
}

function makeEventClass(brand) {
  class Event {
    constructor(type, init) {
      requireArguments(arguments.length, 1, "new Event");
      const given = readOptions(init, "new Event");
      const flag = (name) => !!given[name];
      const flags = { __proto__: null, bubbles: flag("bubbles"), cancelable: flag("cancelable"), composed: flag("composed") };
      const rest = { __proto__: null, type: `${type}`, target: null, currentTarget: null, eventPhase: NO_PHASE, isTrusted: false };
      const state = { __proto__: null, timeStamp: dateNow(), isPrevented: false, isStopped: false, isStoppedNow: false, isPassive: false };
      brand.add(this, { __proto__: null, ...flags, ...rest, ...state });
    }
    get defaultPrevented() {
      return brand.of(this).isPrevented;
    }
    get cancelBubble() {
      return brand.of(this).isStopped;
    }
    preventDefault() {
      const record = brand.of(this);
      if (record.cancelable && !record.isPassive) record.isPrevented = true;
    }
    stopPropagation() {
      brand.of(this).isStopped = true;
    }
    stopImmediatePropagation() {
      const record = brand.of(this);
      record.isStopped = true;
      record.isStoppedNow = true;
    }
    composedPath() {
      const { currentTarget } = brand.of(this);
      return currentTarget === null ? [] : [currentTarget];
    }
  }
  const readers = ["type", "target", "currentTarget", "eventPhase", "bubbles", "cancelable", "composed", "timeStamp", "isTrusted"];
  for (let index = 0; index < readers.length; index++) defineReader(Event.prototype, readers[index], brand);
  return finishClass(Event, "Event");
}

/** An accessor that gives what the object's record holds under the same name. */
function defineReader(prototype, name, brand) {
  const reader = {
    get value() {
      return brand.of(this)[name];
    },
  };
  defineAccessor(prototype, name, getOwnPropertyDescriptor(reader, "value").get, undefined);
}

function makeTargetClass(state, { events, targets }) {
  class EventTarget {
    constructor() {
      targets.add(this, { __proto__: null, listeners: bareArray() });
    }
    addEventListener(type, callback, options) {
      requireArguments(arguments.length, 2, "addEventListener");
      addListener(state, targets.of(this).listeners, makeListener(type, callback, options));
    }
    removeEventListener(type, callback, options) {
      requireArguments(arguments.length, 2, "removeEventListener");
      const { listeners } = targets.of(this);
      const known = findListener(listeners, makeListener(type, callback, options));
      if (known !== undefined) dropListener(listeners, known);
    }
    dispatchEvent(event) {
      const record = events.find(event);
      if (record === undefined) throw new RawTypeError("dispatchEvent needs an Event.");
      const { listeners } = targets.of(this);
      if (record.eventPhase !== NO_PHASE) throw domError(state, "InvalidStateError", "The event is already being dispatched.");
      record.isTrusted = false;
      dispatch(state, this, { __proto__: null, event, record, listeners });
      return !record.isPrevented;
    }
  }
  return finishClass(EventTarget, "EventTarget");
}

function makeListener(type, callback, options) {
  const given = isObject(options) ? options : { __proto__: null, capture: options };
  return {
    __proto__: null,
    type: `${type}`,
    callback,
    capture: !!given.capture,
    once: !!given.once,
    passive: !!given.passive,
    signal: given.signal,
    isRemoved: false,
  };
}

function addListener(state, listeners, listener) {
  const { callback, signal } = listener;
  if (callback !== null && callback !== undefined && !isObject(callback)) throw new RawTypeError("A listener is a function or an object.");
  const abort = signal === undefined ? undefined : followSignal(state, signal, () => dropListener(listeners, listener));
  if (abort?.isAborted || !isObject(callback) || findListener(listeners, listener) !== undefined) return;
  listeners[listeners.length] = listener;
}

function findListener(listeners, { type, callback, capture }) {
  for (let index = 0; index < listeners.length; index++) {
    const known = listeners[index];
    if (known.type === type && known.callback === callback && known.capture === capture) return known;
  }
  return undefined;
}

function dropListener(listeners, listener) {
  listener.isRemoved = true;
  keepMembers(listeners, (known) => known !== listener);
}

/** DOM standard, "inner invoke", for a target without parents. */
function dispatch(state, target, { event, record, listeners }) {
  record.target = target;
  record.currentTarget = target;
  record.eventPhase = AT_TARGET;
  const waiting = bareArray();
  for (let pass = 0; pass < 2; pass++) {
    for (let index = 0; index < listeners.length; index++) {
      if (listeners[index].type === record.type && listeners[index].capture === (pass === 0)) waiting[waiting.length] = listeners[index];
    }
  }
  for (let index = 0; index < waiting.length && !record.isStoppedNow; index++) {
    const listener = waiting[index];
    if (listener.isRemoved) continue;
    if (listener.once) dropListener(listeners, listener);
    record.isPassive = listener.passive;
    callListener(state, listener.callback, target, event);
    record.isPassive = false;
  }
  record.currentTarget = null;
  record.eventPhase = NO_PHASE;
  record.isStopped = false;
  record.isStoppedNow = false;
}

function callListener(state, callback, target, event) {
  try {
    if (typeof callback === "function") apply(callback, target, [event]);
    else callback.handleEvent(event);
  } catch (thrown) {
    failCall(state, thrown);
  }
}
