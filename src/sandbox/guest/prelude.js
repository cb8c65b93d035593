// The realm as the process around it sees it: functions it may call, and nothing that a script can reach.

/** Facts for a call that never runs; its g and globals are looked at, by `seal` and by the walk. */
const SAMPLE_FACTS = `{"callId":"","args":{"list":[{}]},"tool":{"name":"","title":"","description":""},"config":{"object":{}},
  "agent":{"id":"","instanceId":""},"run":{"origin":"","startedAt":"","timeoutMs":0}}`;

function openRealm() {
  removeGlobals();
  return {
    __proto__: null,
    rawError: RawError,
    addCapability,
    seal,
    sampleCall,
    connect,
    check,
    setScript,
    start,
    deliver,
    fireTimer,
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

/** After the last capability: the names of a script's factory, as JSON. Throws if a name is no identifier. */
function seal(capsJson) {
  caps = freeze(jsonParse(capsJson));
  sampleCall();
  for (let index = 0; index < parameterNames.length; index++) {
    if (!isPlainName(parameterNames[index])) throw new RawError(`"${parameterNames[index]}" cannot be the name of a global.`);
  }
  return jsonStringify(parameterNames);
}

/** All that a script's factory is given, of a call that has already ended. */
function sampleCall() {
  const state = openCall("", jsonParse(SAMPLE_FACTS));
  const values = callValues(state);
  state.isLive = false;
  return values;
}

/** The host's functions; last of all, so that nothing that ran before could have reached them. */
function connect(call, notice, done, timer) {
  host = freeze({ __proto__: null, call, notice, done, timer });
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

function setScript(factory, file, entry) {
  script = freeze({ __proto__: null, factory, file, entry });
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
