// One call: its state, its beginning, what comes in for it, its end. All of a call is in its own record, found by the
// call's random id; once the call has ended the record is gone, and what still comes for it is dropped.

/** Host functions and caps; set once by `connect`, before any script. */
let host;
let caps;

/** The compiled script: `factory` takes the values of `names` and gives the entry. Set once per script by `setScript`. */
let script;

/** Calls that have not ended, by id. */
const liveCalls = { __proto__: null };

/** Why each turn "fails": see `beginTurn`. The host knows this text. */
const TURN_MARK = "toolyard:turn";

let turnPromise;

/**
 * The library reports the first unhandled rejection of a turn, and for that reads the rejected thing outside its time
 * limit: a rejected Proxy that loops would burn the processor until the process is killed, one with a huge message
 * would block the host. So the first rejection of every turn is ours, and the others are never looked at. Kept in a
 * variable because the library holds it weakly.
 */
function beginTurn() {
  turnPromise = rejectTurn();
}

function rejectTurn() {
  return new RawPromise(rejectWithMark);
}

/** Not thrown: V8 looks at the whole stack for each thing that is. */
function rejectWithMark(_resolve, reject) {
  reject(TURN_MARK);
}

function openCall(id, facts) {
  const now = dateNow();
  return {
    __proto__: NOTHING,
    id,
    facts: freezeDeep(facts),
    isLive: true,
    endsAt: now + facts.run.timeoutMs,
    sequence: 0,
    hostCalls: 0,
    pending: { __proto__: null },
    timers: { __proto__: null },
    timersMade: 0,
    timersWaiting: 0,
    logLeft: caps.logBytes,
    logLines: 0,
    isLogCut: false,
    progressSent: 0,
    progressAt: 0,
    /** What the kinds of web names have made; see web-names.js. */
    web: { __proto__: null },
    /** Random bytes that were fetched, one a character, and how many are used. */
    random: "",
    randomAt: 0,
    randomTaken: 0,
    /** Errors the border made, with their codes: a script can write any `code`, but not into this. */
    codes: new RawWeakMap(),
    /** What g.result.fail gave. */
    failures: new RawWeakSet(),
    /** Content blocks, with or without a value, of the marks that g.result gave: {blocks, value}. */
    contents: new RawWeakMap(),
    /** What g.result.fail or .content gave last: {mark, name, site}. */
    made: undefined,
    /** A block of g.result was made. */
    hasBlocks: false,
  };
}

/** Freezes JSON data; with a list of its own, because nesting could overflow a recursion. */
function freezeDeep(root) {
  const waiting = bareArray();
  let count = 0;
  if (typeof root === "object" && root !== null) waiting[count++] = root;
  while (count > 0) {
    const value = waiting[--count];
    const keys = objectKeys(value);
    for (let index = 0; index < keys.length; index++) {
      const member = value[keys[index]];
      if (typeof member === "object" && member !== null) waiting[count++] = member;
    }
    freeze(value);
  }
  return root;
}

/** Runs the script for one call. Everything that can go wrong becomes the call's outcome. */
function start(id, factsJson) {
  beginTurn();
  const state = openCall(id, jsonParse(factsJson));
  liveCalls[id] = state;
  // Never rejects: what fails in it becomes the outcome.
  void drive(state);
}

async function drive(state) {
  let value;
  try {
    const entry = apply(script.factory, undefined, callValues(state, script.names))();
    if (typeof entry !== "function") {
      settle(state, { __proto__: null, kind: "error", name: "Error", message: missingEntry(), code: "SCRIPT_ERROR" });
      return;
    }
    if (isGenerator(entry)) {
      settle(state, { __proto__: null, kind: "error", name: "Error", message: generatorEntry(), code: "SCRIPT_ERROR" });
      return;
    }
    value = await entry(state.facts.args);
  } catch (thrown) {
    failCall(state, thrown);
    return;
  }
  finishCall(state, value);
}

function generatorEntry() {
  return `${script.entry} is a generator function, of which nothing would run. Write "async function ${script.entry}() { … }".`;
}

/** Made by `function*` or `async function*`. */
function isGenerator(entry) {
  const prototype = getPrototypeOf(entry);
  return prototype === generatorPrototype || prototype === asyncGeneratorPrototype;
}

function missingEntry() {
  return `script does not define ${script.entry}(). Add "async function ${script.entry}() { … }" at its top level.`;
}

/** The one end of a call. */
function settle(state, outcome) {
  if (!state.isLive) return;
  state.isLive = false;
  state.pending = { __proto__: null };
  state.timers = { __proto__: null };
  delete liveCalls[state.id];
  host.done(jsonStringify(outcome));
}

/** The answer of a host call: JSON of the value, or of {code, message}. */
function deliver(id, sequence, ok, payload) {
  beginTurn();
  const state = liveCalls[id];
  const waiting = state?.pending[sequence];
  if (waiting === undefined) return;
  delete state.pending[sequence];
  try {
    const answer = jsonParse(payload);
    if (ok) {
      waiting.resolve(waiting.convert(answer));
      return;
    }
    const message = cutText(answer.message, caps.messageCharacters);
    const error = failAt(waiting.site, waiting.errorName, { __proto__: null, code: answer.code, message });
    weakMapSet(state.codes, error, answer.code);
    waiting.reject(error);
  } catch (thrown) {
    waiting.reject(atSite(state, thrown, waiting.site));
  }
}

/** An error of the border that was made when the answer came, with the frames of the script's call; anything else as it is. */
function atSite(state, thrown, site) {
  if (!isObject(thrown) || weakMapGet(state.codes, thrown) === undefined) return thrown;
  define(thrown, "stack", `${thrown.name}: ${thrown.message}${framesOf(site)}`, false);
  return thrown;
}

/** A timer's time has come. What its function throws has nobody to catch it and ends the call. */
function fireTimer(id, timerId) {
  beginTurn();
  const state = liveCalls[id];
  const timer = state?.timers[timerId];
  if (timer === undefined) return;
  if (timer.everyMs === undefined) forgetTimer(state, timerId);
  try {
    apply(timer.callback, undefined, timer.values);
    if (timer.everyMs !== undefined && state.timers[timerId] === timer) repeatTimer(state, timerId, timer.everyMs);
  } catch (thrown) {
    failCall(state, thrown);
  }
}

/**
 * No answer and no timer is on its way, and the last microtask has run: nothing can settle what the script waits for. The
 * process around the realm asks, and what decides is the record of the call.
 */
function endStalled(id) {
  beginTurn();
  const state = liveCalls[id];
  if (state === undefined || state.timersWaiting > 0 || objectKeys(state.pending).length > 0) return;
  const what = "The script waits for a promise that nothing will settle: no request, timer or question of it is under way";
  const message = `${what}. Look for a "new Promise" whose resolve or reject is never called.`;
  settle(state, { __proto__: null, kind: "error", name: "Error", message, code: "SCRIPT_ERROR" });
}
