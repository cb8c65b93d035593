// How a call ends: with a value, with content blocks, as failed on purpose, or by an error.

function finishCall(state, returned) {
  if (!state.isLive) return;
  try {
    const value = state.made === undefined ? returned : endOf(state, returned);
    if (isFailure(state, value)) {
      endFailed(state, value);
      return;
    }
    const content = contentOf(state, value) ?? (state.hasBlocks ? contentOfList(state, value) : undefined);
    const result = content === undefined ? serializeResult(value, caps.resultBytes, caps.messageCharacters) : serializeContent(content);
    if (result.json === undefined) {
      settleUnfit(state, result);
      return;
    }
    if (state.hostCalls > 0) warnOfUnawaited(state);
    settle(state, { __proto__: NOTHING, kind: content === undefined ? "value" : "content", json: result.json });
  } catch (thrown) {
    failCall(state, thrown);
  }
}

function contentOf(state, value) {
  return typeof value === "object" && value !== null ? weakMapGet(state.contents, value) : undefined;
}

/**
 * What the call ends with where g.result.fail or .content was called: one that was not returned still counts if main()
 * returned nothing, since nobody makes a failure in order to end well without a value.
 */
function endOf(state, returned) {
  const { mark, name, site } = state.made;
  if (returned === mark || isFailure(state, returned) || (name === "content" && contentOf(state, returned) !== undefined)) return returned;
  const advice = `Write "return g.result.${name}(…)".`;
  if (returned === undefined) {
    warnAt(
      state,
      site,
      `g.result.${name} was called without "return". The call ends with it, as ${script.entry}() returned nothing. ${advice}`,
    );
    return mark;
  }
  warnAt(state, site, `What g.result.${name} gave was not returned, so it has no effect. ${advice}`);
  return returned;
}

const BLOCK_TYPES = { __proto__: null, text: true, image: true, audio: true, resource: true, resource_link: true };

/** A list of texts and blocks, of which one at least is of g.result, is content; any other is a value. */
function contentOfList(state, value) {
  if (!isArray(value)) return undefined;
  const blocks = bareArray();
  let isContent = false;
  for (let index = 0; index < value.length; index++) {
    const member = value[index];
    const isText = typeof member === "string";
    if (!isText && !(isObject(member) && BLOCK_TYPES[`${readText(member, "type")}`] === true)) return undefined;
    isContent ||= contentOf(state, member) !== undefined;
    blocks[index] = isText ? { __proto__: null, type: "text", text: member } : member;
  }
  return isContent ? { __proto__: null, blocks } : undefined;
}

/** Most host calls that are told of one call. */
const UNAWAITED_TOLD = 3;

/** What is under way at the end of a call that went well has nobody to see how it ends. */
function warnOfUnawaited(state) {
  const sequences = objectKeys(state.pending);
  let told = 0;
  for (let index = 0; index < sequences.length && told < UNAWAITED_TOLD; index++) {
    const { name, site, isGivenUp } = state.pending[sequences[index]];
    if (isGivenUp?.()) continue;
    told += 1;
    warnAt(
      state,
      site,
      `${name} was under way when the call ended, and is broken off: its answer or error is lost. Is an "await" missing?`,
    );
  }
}

/** A line of the log, at the place in the script where `site` was made. */
function warnAt(state, site, text) {
  log(state, "warn", [text], positionsOf(site));
}

/** Where in the script an error without a message was made. */
function positionsOf(site) {
  return findPositions(readText(site, "stack") ?? "", "", script.file);
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
  const { name, message: ownMessage, frames } = describeThrown(thrown, script.file, caps.messageCharacters);
  // A thing that is no error has no name, and is shown with all that it has.
  const reasons = name === "" ? "" : reasonsText(thrown, caps.messageCharacters - ownMessage.length);
  const message = reasons === "" ? ownMessage : cutText(ownMessage + reasons, caps.messageCharacters);
  const code = typeof thrown === "object" && thrown !== null ? weakMapGet(state.codes, thrown) : undefined;
  const file = frames.length === 0 ? undefined : script.file;
  const more = frames.length > 2 ? frames : undefined;
  settle(state, { __proto__: null, kind: "error", name, message, code, file, line: frames[0], column: frames[1], frames: more });
}
