// AbortController and AbortSignal. A signal of AbortSignal.any is held by those it follows for as long as they live.

function makeAbortNames(state) {
  const { names, requireTarget } = webGroup(state, "events");
  const { EventTarget } = names;
  const signals = makeBrand("AbortSignal");
  // A signal is made by the ways below only, which know this.
  const permit = {};
  const create = () => construct(AbortSignal, [permit]);
  class AbortSignal extends EventTarget {
    constructor(given) {
      if (given !== permit) throw new RawTypeError("Illegal constructor: use new AbortController().signal or AbortSignal.timeout().");
      super();
      // EventTarget can be exchanged as the parent of this class: what its stand-in gives must not be an object all calls share.
      requireTarget(this);
      const record = { __proto__: null, isAborted: false, reason: undefined, steps: bareArray(), followers: bareArray() };
      signals.add(this, { __proto__: null, ...record, isFollower: false, sources: bareArray(), onabort: null, handler: undefined });
    }
    static abort(reason) {
      const signal = create();
      abortSignal(state, signals, signal, reason);
      return signal;
    }
    static timeout(milliseconds) {
      requireArguments(arguments.length, 1, "AbortSignal.timeout");
      const delay = +milliseconds;
      if (!isFiniteNumber(delay) || delay < 0) throw new RawTypeError("AbortSignal.timeout takes milliseconds from 0 up.");
      const signal = create();
      const end = () => abortSignal(state, signals, signal, domError(state, "TimeoutError", "The operation was aborted due to timeout"));
      makeTimer(state, end, delay, []);
      return signal;
    }
    static any(sources) {
      requireArguments(arguments.length, 1, "AbortSignal.any");
      const signal = create();
      followSources(signals, signal, sources);
      return signal;
    }
    get aborted() {
      return signals.of(this).isAborted;
    }
    get reason() {
      return signals.of(this).reason;
    }
    throwIfAborted() {
      const record = signals.of(this);
      if (record.isAborted) throw record.reason;
    }
    get onabort() {
      return signals.of(this).onabort;
    }
    set onabort(handler) {
      setAbortHandler(this, signals.of(this), handler);
    }
  }
  finishClass(AbortSignal, "AbortSignal");
  const AbortController = makeControllerClass(create, (signal, reason) => abortSignal(state, signals, signal, reason));
  return { __proto__: null, names: { __proto__: null, AbortController, AbortSignal }, create, find: signals.find };
}

function makeControllerClass(create, abort) {
  const brand = makeBrand("AbortController");
  class AbortController {
    constructor() {
      brand.add(this, { __proto__: null, signal: create() });
    }
    get signal() {
      return brand.of(this).signal;
    }
    abort(reason) {
      abort(brand.of(this).signal, reason);
    }
  }
  return finishClass(AbortController, "AbortController");
}

/** DOM standard, "signal abort". */
function abortSignal(state, signals, signal, given) {
  const record = signals.of(signal);
  if (record.isAborted) return;
  const reason = given === undefined ? domError(state, "AbortError", "This operation was aborted") : given;
  const reached = bareArray();
  const mark = (target) => {
    const follower = signals.of(target);
    if (follower.isAborted) return;
    follower.isAborted = true;
    follower.reason = reason;
    reached[reached.length] = target;
  };
  mark(signal);
  for (let index = 0; index < record.followers.length; index++) mark(record.followers[index]);
  for (let index = 0; index < reached.length; index++) {
    const { steps } = signals.of(reached[index]);
    signals.of(reached[index]).steps = bareArray();
    for (let step = 0; step < steps.length; step++) steps[step](reason);
    webGroup(state, "events").send(reached[index], "abort");
  }
}

/** DOM standard, "create a dependent abort signal". */
function followSources(signals, signal, sources) {
  const record = signals.of(signal);
  record.isFollower = true;
  const given = bareArray();
  for (const source of sources) {
    if (signals.find(source) === undefined) throw new RawTypeError("AbortSignal.any takes a list of AbortSignals.");
    given[given.length] = source;
  }
  for (let index = 0; index < given.length; index++) {
    const source = signals.of(given[index]);
    if (!source.isAborted) continue;
    record.isAborted = true;
    record.reason = source.reason;
    return;
  }
  const follow = (source) => {
    const { followers } = signals.of(source);
    record.sources[record.sources.length] = source;
    followers[followers.length] = signal;
  };
  for (let index = 0; index < given.length; index++) {
    const source = signals.of(given[index]);
    if (!source.isFollower) follow(given[index]);
    for (let at = 0; at < source.sources.length; at++) follow(source.sources[at]);
  }
}

/** The handler runs where it was first set; a later one takes its place. */
function setAbortHandler(signal, record, handler) {
  record.onabort = isObject(handler) ? handler : null;
  if (record.handler !== undefined || record.onabort === null) return;
  record.handler = (event) => {
    if (typeof record.onabort === "function") apply(record.onabort, signal, [event]);
  };
  signal.addEventListener("abort", record.handler);
}

/** Calls back when a signal of a script aborts: {isAborted, reason, stop}. Throws TypeError for anything but a signal. */
function followSignal(state, signal, onAbort, invalid = typeError) {
  const record = state.web.abort?.find(signal);
  if (record === undefined) throw invalid('"signal" must be an AbortSignal.');
  if (!record.isAborted) record.steps[record.steps.length] = onAbort;
  return {
    __proto__: null,
    isAborted: record.isAborted,
    reason: record.reason,
    stop: () => keepMembers(record.steps, (step) => step !== onAbort),
  };
}
