// One call: its state, its beginning, what comes in for it, its end. All of a call is in its own record, found by the
// call's random id; once the call has ended the record is gone, and what still comes for it is dropped.

/** Host functions and caps; set once by `connect`, before any script. */
let host;
let caps;

/** The compiled script: `factory` takes the names of a call and gives the entry. Set once per script by `setScript`. */
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

async function rejectTurn() {
  throw TURN_MARK;
}

function openCall(id, facts) {
  const now = dateNow();
  return {
    __proto__: null,
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
    /** Errors the border made, with their codes: a script can write any `code`, but not into this. */
    codes: new RawWeakMap(),
    /** What g.result.fail gave. */
    failures: new RawWeakSet(),
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
    const entry = apply(script.factory, undefined, callValues(state))();
    if (typeof entry !== "function") {
      settle(state, { __proto__: null, kind: "error", name: "Error", message: missingEntry(), code: "SCRIPT_ERROR" });
      return;
    }
    value = await entry(state.facts.args);
  } catch (thrown) {
    failCall(state, thrown);
    return;
  }
  finishCall(state, value);
}

function missingEntry() {
  return `script does not define ${script.entry}(). Add "async function ${script.entry}() { … }" at its top level.`;
}

function finishCall(state, value) {
  if (!state.isLive) return;
  try {
    if (isFailure(state, value)) {
      settle(state, { __proto__: null, kind: "failed", message: value.failed });
      return;
    }
    const result = serializeResult(value, caps.resultBytes, caps.messageCharacters);
    if (result.json === undefined)
      settle(state, { __proto__: null, kind: "error", name: "Error", message: result.message, code: result.code });
    else settle(state, { __proto__: null, kind: "value", json: result.json });
  } catch (thrown) {
    failCall(state, thrown);
  }
}

function isFailure(state, value) {
  return typeof value === "object" && value !== null && weakSetHas(state.failures, value);
}

/** Ends the call with what the script threw. */
function failCall(state, thrown) {
  if (!state.isLive) return;
  if (isFailure(state, thrown)) {
    settle(state, { __proto__: null, kind: "failed", message: thrown.failed });
    return;
  }
  const { name, message, line, column } = describeThrown(thrown, script.file, caps.messageCharacters);
  const code = typeof thrown === "object" && thrown !== null ? weakMapGet(state.codes, thrown) : undefined;
  const file = line === undefined ? undefined : script.file;
  settle(state, { __proto__: null, kind: "error", name, message, code, file, line, column });
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
    const error = failAt(waiting.site, answer.code, cutText(answer.message, caps.messageCharacters));
    weakMapSet(state.codes, error, answer.code);
    waiting.reject(error);
  } catch (thrown) {
    waiting.reject(thrown);
  }
}

/** A timer's time has come. What its function throws has nobody to catch it and ends the call. */
function fireTimer(id, timerId) {
  beginTurn();
  const state = liveCalls[id];
  const timer = state?.timers[timerId];
  if (timer === undefined) return;
  forgetTimer(state, timerId);
  try {
    apply(timer.callback, undefined, timer.values);
  } catch (thrown) {
    failCall(state, thrown);
  }
}
