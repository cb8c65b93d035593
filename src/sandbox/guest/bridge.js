// What the guest side of a capability may do with its call, and what a script's call is given: `g`, the globals of the
// capabilities, timers, and a global object of its own. See bridge.d.ts.

/** Timers of one call that may wait at once; the web knows no limit, but each is one of the host's. */
const TIMERS_WAITING = 1_000;

/** Timers one call may make in all. */
const TIMERS_MADE = 10_000;

/** Longest delay of a timer in milliseconds, as on the web. */
const LONGEST_DELAY_MS = 2_147_483_647;

/** Lines of one call's log, however short. */
const LOG_LINES = 2_048;

/** Progress messages sent as they come; later ones at most one a second. */
const PROGRESS_AT_ONCE = 200;

const PROGRESS_INTERVAL_MS = 1_000;

/** Guest sides of the capabilities, in the order they were added: {name, open}. */
const capabilities = bareArray();

/** Names for the call's own global object, so that packages that write to it keep nothing for the next call. */
const GLOBAL_NAMES = freeze(["globalThis", "self", "global"]);

/** Tools for guests: what they need of the border's own copies of the language. */
const guestTools = freeze({
  __proto__: null,
  arrayCopy,
  base64Decode,
  base64Encode,
  bytesOf,
  ceil,
  cutText,
  define,
  defineGetter,
  encodeComponent,
  freeze,
  hasOwn,
  isArray,
  isFiniteNumber,
  isOver,
  jsonParse,
  jsonStringify,
  mapForEach,
  objectKeys,
  ownValue,
  RawPromise,
  RawSyntaxError,
  RawTypeError,
  stringIndexOf,
  stringLowerCase,
  stringSlice,
  stringUpperCase,
  toWellFormed,
  typedArrayByteLength,
  utf8Decode,
  utf8Encode,
});

/** A new array with the same members, none of them through a setter. */
function arrayCopy(list) {
  const copy = [];
  for (let index = 0; index < list.length; index++) define(copy, index, list[index], true);
  return copy;
}

/** An enumerable property whose value is made when it is asked for. */
function defineGetter(target, name, read) {
  defineProperty(target, name, { __proto__: null, get: () => read(), configurable: true, enumerable: true });
}

function makeBridge(state) {
  return freeze({
    __proto__: NOTHING,
    facts: state.facts,
    caps,
    tools: guestTools,
    requireLive: () => requireLive(state),
    remainingMs: () => max(0, state.endsAt - dateNow()),
    extendLimit: (ms) => {
      state.endsAt += ms;
    },
    hostCall: (method, prepare, convert, isGivenUp) =>
      hostCall(state, method, { __proto__: null, name: `g.${method}`, prepare, convert, isGivenUp, Make: RawError }),
    webCall: (name, method, prepare, convert, isGivenUp) =>
      hostCall(state, method, { __proto__: null, name, prepare, convert, isGivenUp, Make: RawTypeError }),
    notice: (name, params) => notice(state, name, params),
    log: (level, values, indent, isPlaced) => log(state, level, values, isPlaced ? positionsOf(new RawError("")) : undefined, indent),
    progress: (params) => progress(state, params),
    error: (code, message, Make) => codedError(state, code, message, Make),
    webError: (code, message) => codedError(state, code, message, RawTypeError),
    web: (service, value) => askWeb(state, service, value),
    failure: (message, blocks) => makeFailure(state, message, blocks),
    content: (blocks, value) => makeContent(state, blocks, value),
    block: (record) => makeBlock(state, record),
    setTimeout: (callback, delay, ...values) => makeTimer(state, callback, delay, values),
    clearTimeout: (timerId) => cancelTimer(state, timerId),
  });
}

/** Values of these names for the script's factory, in their order. */
function callValues(state, wanted) {
  const { names, scope } = openScope(state);
  const values = bareArray();
  for (let index = 0; index < wanted.length; index++) values[index] = names[wanted[index]] ?? scope[wanted[index]];
  return values;
}

/** The call's own global object, and the names on it that every call has. */
function openScope(state) {
  const bridge = makeBridge(state);
  const scope = objectCreate(realGlobal);
  new ScopeMark(scope, state);
  const members = { __proto__: null };
  const names = { __proto__: null, setTimeout: bridge.setTimeout, clearTimeout: bridge.clearTimeout };
  for (let index = 0; index < capabilities.length; index++) {
    const { member, globals } = capabilities[index].open(bridge);
    // Plain assignment: without a prototype there is no setter to meet, and defining takes ten times as long.
    if (member !== undefined) members[capabilities[index].name] = member;
    if (globals === undefined) continue;
    const globalNames = objectKeys(globals);
    for (let at = 0; at < globalNames.length; at++) names[globalNames[at]] = globals[globalNames[at]];
  }
  names.g = freeze(members);
  for (let index = 0; index < GLOBAL_NAMES.length; index++) names[GLOBAL_NAMES[index]] = scope;
  const keys = objectKeys(names);
  for (let index = 0; index < keys.length; index++) define(scope, keys[index], names[keys[index]], false);
  return { __proto__: null, names, scope };
}

function requireLive(state) {
  if (state.isLive) return;
  throw new RawError("This call has ended: its g, fetch, console and timers do nothing any more. Await all work before main() returns.");
}

function codedError(state, code, message, Make = RawError) {
  const error = makeError(code, cutText(message, caps.messageCharacters), Make);
  weakMapSet(state.codes, error, code);
  return error;
}

function makeFailure(state, message, blocks) {
  const text = typeof message === "string" ? message : formatValue(message, caps.messageCharacters);
  const failure = freeze({ __proto__: null, failed: cutText(text, caps.messageCharacters) });
  weakSetAdd(state.failures, failure);
  state.made = { __proto__: null, mark: failure, name: "fail", site: new RawError("") };
  if (blocks !== undefined) weakMapSet(state.contents, failure, { __proto__: null, blocks });
  return failure;
}

/** The mark itself holds nothing: what it stands for is kept where a script cannot change it for another. */
function makeContent(state, blocks, value) {
  // Inside of a value it would come out as an empty object.
  const toJSON = () => {
    throw codedError(state, "SCRIPT_ERROR", "what g.result.content gives ends the call: return it by itself");
  };
  const content = freeze({ __proto__: null, toJSON });
  weakMapSet(state.contents, content, { __proto__: null, blocks, value });
  state.made = { __proto__: null, mark: content, name: "content", site: new RawError("") };
  return content;
}

function makeBlock(state, record) {
  const blocks = bareArray();
  blocks[0] = record;
  state.hasBlocks = true;
  weakMapSet(state.contents, freeze(record), { __proto__: null, blocks });
  return record;
}

/** A promise for the host's answer; what `prepare` or `convert` throws rejects it. */
function hostCall(state, method, { name, prepare, convert, isGivenUp, Make }) {
  return new RawPromise((resolve, reject) => {
    requireLive(state);
    const site = new Make("");
    const params = jsonStringify(prepare());
    // JSON text takes at most six characters for one byte.
    if (params.length > 6 * caps.requestBodyBytes + 65_536) {
      const what = `${name} was given more than the limit of ${caps.requestBodyBytes} bytes ("requestBodyBytes" in "limits").`;
      throw codedError(state, "INVALID_REQUEST", `${what} Send less.`);
    }
    if (isDeep(params)) throw codedError(state, "INVALID_REQUEST", `${name} was given a value nested deeper than ${MAX_DEPTH} levels.`);
    if (state.hostCalls >= caps.hostCallsPerCall) {
      const what = `The script called ${name} after ${caps.hostCallsPerCall} host calls, the limit of one call ("requestsPerCall" in "limits").`;
      throw codedError(state, "TOO_MANY_REQUESTS", `${what} Make fewer, or spread the work over several calls.`);
    }
    state.hostCalls += 1;
    const sequence = state.sequence++;
    const errorName = Make === RawError ? "Error" : "TypeError";
    state.pending[sequence] = { __proto__: null, name, resolve, reject, convert, isGivenUp, site, errorName };
    host.call(sequence, method, params);
  });
}

/** `at`: positions in the script that the line is about, as in an outcome's "frames". */
function log(state, level, values, at, indent = "") {
  requireLive(state);
  if (state.isLogCut) return;
  const text = indent + formatLine(values, state.logLeft + 1);
  // A Proxy among the values has run code of the script, which may have logged up to the limit itself.
  if (state.isLogCut) return;
  state.logLines += 1;
  if (state.logLines <= LOG_LINES && !isOver(text, state.logLeft)) {
    state.logLeft -= utf8Length(text);
    writeLog(level, text, at);
    return;
  }
  state.isLogCut = true;
  const rest = cutToBytes(text, state.logLeft);
  if (state.logLines <= LOG_LINES && rest !== "") writeLog(level, rest);
  writeLog(
    "warn",
    `The log of this call is cut here: the limit is ${caps.logBytes} bytes ("logBytes" in "limits") and ${LOG_LINES} lines.`,
  );
}

function writeLog(level, text, at) {
  host.notice("log.write", jsonStringify({ __proto__: null, level, text, at }));
}

function progress(state, params) {
  requireLive(state);
  const now = dateNow();
  if (state.progressSent >= PROGRESS_AT_ONCE && now - state.progressAt < PROGRESS_INTERVAL_MS) return;
  state.progressSent += 1;
  state.progressAt = now;
  host.notice("run.progress", jsonStringify(params));
}

/** Without awaiting anything: the host drops what comes too often. */
function notice(state, name, params) {
  requireLive(state);
  host.notice(name, jsonStringify(params));
}

function makeTimer(state, callback, delay, values, isRepeated = false) {
  if (typeof callback !== "function") throw new RawTypeError("setTimeout needs a function as its first argument.");
  // Before the limits are looked at: its valueOf may make timers, or end the call.
  const wanted = +(delay ?? 0);
  requireLive(state);
  if (state.timersWaiting >= TIMERS_WAITING || state.timersMade >= TIMERS_MADE) throw tooManyTimers(state);
  const delayMs = wanted > 0 ? min(floor(wanted), LONGEST_DELAY_MS) : 0;
  const timerId = ++state.timersMade;
  state.timersWaiting += 1;
  state.timers[timerId] = { __proto__: null, callback, values, everyMs: isRepeated ? delayMs : undefined };
  host.timer(timerId, delayMs);
  return timerId;
}

function tooManyTimers(state) {
  const limits = `${TIMERS_WAITING} waiting at once, ${TIMERS_MADE} in one call`;
  return codedError(state, "SCRIPT_ERROR", `setTimeout is over its limits: ${limits}. Wait for timers before making more.`);
}

/** The next time of an interval counts as a timer of its own. */
function repeatTimer(state, timerId, everyMs) {
  if (!state.isLive) return;
  if (state.timersMade >= TIMERS_MADE) throw tooManyTimers(state);
  state.timersMade += 1;
  host.timer(timerId, everyMs);
}

function forgetTimer(state, timerId) {
  delete state.timers[timerId];
  state.timersWaiting -= 1;
}

function cancelTimer(state, timerId) {
  requireLive(state);
  if (typeof timerId !== "number" || state.timers[timerId] === undefined) return;
  forgetTimer(state, timerId);
  host.timer(timerId, -1);
}
