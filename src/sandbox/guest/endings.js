// How a call ends: with a value, with content blocks, as failed on purpose, or by an error.

function finishCall(state, value) {
  if (!state.isLive) return;
  try {
    if (isFailure(state, value)) {
      endFailed(state, value);
      return;
    }
    const content = contentOf(state, value);
    const result = content === undefined ? serializeResult(value, caps.resultBytes, caps.messageCharacters) : serializeContent(content);
    if (result.json === undefined) settleUnfit(state, result);
    else settle(state, { __proto__: NOTHING, kind: content === undefined ? "value" : "content", json: result.json });
  } catch (thrown) {
    failCall(state, thrown);
  }
}

function contentOf(state, value) {
  return typeof value === "object" && value !== null ? weakMapGet(state.contents, value) : undefined;
}

/** Bytes of blocks come on top of the limit of a result: base64 takes four characters for three of them. */
function serializeContent(content) {
  return serializeResult(content, caps.resultBytes + ceil(caps.mediaBytes / 3) * 4, caps.messageCharacters);
}

function settleFailure(state, failure) {
  const content = contentOf(state, failure);
  const result = content === undefined ? { __proto__: null } : serializeContent(content);
  if (result.code !== undefined) settleUnfit(state, result);
  else settle(state, { __proto__: null, kind: "failed", message: failure.failed, json: result.json });
}

/** Ends the call as failed. What the writer itself throws (nesting that overflows it) costs the blocks, not the message. */
function endFailed(state, failure) {
  try {
    settleFailure(state, failure);
  } catch {
    settle(state, { __proto__: null, kind: "failed", message: failure.failed });
  }
}

/** The end of a call whose result is none that JSON can hold, or too large. */
function settleUnfit(state, { message, code }) {
  settle(state, { __proto__: null, kind: "error", name: "Error", message, code });
}

function isFailure(state, value) {
  return typeof value === "object" && value !== null && weakSetHas(state.failures, value);
}

/** Ends the call with what the script threw. */
function failCall(state, thrown) {
  if (!state.isLive) return;
  if (isFailure(state, thrown)) {
    endFailed(state, thrown);
    return;
  }
  const { name, message, frames } = describeThrown(thrown, script.file, caps.messageCharacters);
  const code = typeof thrown === "object" && thrown !== null ? weakMapGet(state.codes, thrown) : undefined;
  const file = frames.length === 0 ? undefined : script.file;
  const more = frames.length > 2 ? frames : undefined;
  settle(state, { __proto__: null, kind: "error", name, message, code, file, line: frames[0], column: frames[1], frames: more });
}
