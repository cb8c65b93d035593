// The realm as the process around it sees it: functions it may call, and nothing that a script can reach.

/** Facts for a call that never runs; its g and globals are looked at, by `seal` and by the walk. */
const SAMPLE_FACTS = `{"callId":"","args":{"list":[{}]},"tool":{"name":"","title":"","description":""},"config":{"object":{}},
  "agent":{"id":"","instanceId":""},"run":{"origin":"","startedAt":"","timeoutMs":0}}`;

function openRealm() {
  removeGlobals();
  defineScopeNames();
  return {
    __proto__: null,
    rawError: RawError,
    defineScopeNames,
    scopeAccessors,
    addCapability,
    seal,
    sampleCall,
    connect,
    check,
    setScript,
    start,
    deliver,
    fireTimer,
    endStalled,
  };
}

/**
 * Removes what a script could use against the process: memory outside the isolate's limit (WebAssembly, shared and
 * resizable buffers), waiting threads (Atomics), and code that runs after a call has ended (FinalizationRegistry).
 */
function removeGlobals() {
  const names = ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef", "console"];
  for (let index = 0; index < names.length; index++) delete realGlobal[names[index]];
  const bufferNames = ["resize", "resizable", "maxByteLength", "transfer", "transferToFixedLength"];
  for (let index = 0; index < bufferNames.length; index++) delete RawArrayBuffer.prototype[bufferNames[index]];
}

/** `open` is a capability's guest text, evaluated. */
function addCapability(name, open) {
  capabilities[capabilities.length] = freeze({ __proto__: null, name, open });
}

/**
 * After the last capability: {always, mentioned} as JSON, the names that a script's factory always takes and those it
 * takes if the script's text mentions them. Throws if a name is no identifier.
 */
function seal(capsJson) {
  caps = freeze(jsonParse(capsJson));
  const state = openCall("", jsonParse(SAMPLE_FACTS));
  const always = objectKeys(openScope(state).names);
  state.isLive = false;
  for (let index = 0; index < always.length; index++) {
    if (!isPlainName(always[index])) throw new RawError(`"${always[index]}" cannot be the name of a global.`);
  }
  return jsonStringify({ __proto__: null, always, mentioned: objectKeys(WEB_NAMES) });
}

/** All that a script's factory can be given, with an object of every class, of a call that has already ended. */
function sampleCall() {
  const state = openCall("", jsonParse(SAMPLE_FACTS));
  const { names, scope } = openScope(state);
  const values = bareArray();
  const alwaysNames = objectKeys(names);
  for (let index = 0; index < alwaysNames.length; index++) values[values.length] = names[alwaysNames[index]];
  const webNames = objectKeys(WEB_NAMES);
  for (let index = 0; index < webNames.length; index++) values[values.length] = scope[webNames[index]];
  web().addSamples(state, values);
  state.isLive = false;
  return values;
}

/** The host's functions; last of all, so that nothing that ran before could have reached them. */
function connect(call, notice, done, timer, random, hostNames) {
  host = freeze({ __proto__: null, call, notice, done, timer, random, hostNames });
}

/**
 * Parses the text alone, as the body of a function: what closes that function and goes on after it would otherwise run
 * outside of it. Gives the parser's message, or "" if the text is a whole body.
 */
function check(source) {
  try {
    construct(RawFunction, [`"use strict";\n${source}`]);
    return "";
  } catch (thrown) {
    return readText(thrown, "message") || "the script does not parse";
  }
}

function setScript(factory, file, entry, namesJson) {
  script = freeze({ __proto__: null, factory, file, entry, names: jsonParse(namesJson) });
}

/** True for a short ASCII identifier. */
function isPlainName(text) {
  if (text.length === 0 || text.length > 40) return false;
  for (let index = 0; index < text.length; index++) {
    const unit = charCodeAt(text, index);
    const isLetter = (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95 || unit === 36;
    if (!isLetter && !(index > 0 && unit >= 48 && unit <= 57)) return false;
  }
  return true;
}
