// What the code of the web's names gives to the border.

/** Makes the names of one kind and what other kinds need of them. */
const WEB_GROUPS = {
  __proto__: null,
  errors: makeErrorNames,
  iterators: makeIterators,
  events: makeEventNames,
  abort: makeAbortNames,
  url: makeUrlNames,
  encoding: makeEncodingNames,
  clone: makeCloneNames,
  files: makeFileNames,
  headers: makeHeaderNames,
  request: makeRequestNames,
  response: makeResponseNames,
  crypto: makeCryptoNames,
  time: makeTimeNames,
  tasks: makeTaskNames,
};

/** As `bridge.webError`. */
function invalidRequest(state, message) {
  return codedError(state, "INVALID_REQUEST", message, RawTypeError);
}

/** What capabilities need of the names, by `bridge.web(method, value)`. */
const webServices = {
  __proto__: null,
  /** {text or bytes, type} of a URLSearchParams, FormData or Blob; undefined for anything else. */
  content: webContent,
  /** Values by lower-case name, of what `new Headers` takes. Throws TypeError with the code INVALID_REQUEST. */
  headers: (state, init) => {
    const list = makeHeaderList();
    let refused;
    const invalid = (message) => {
      refused = message;
      return new RawTypeError(message);
    };
    try {
      fillHeaders(list, init, state.web.headers, invalid);
    } catch (thrown) {
      // What getters of the script throw is the script's own. An error made further in would have no frame of the script left.
      throw refused === undefined ? thrown : invalidRequest(state, refused);
    }
    const record = { __proto__: null };
    const names = objectKeys(list.values);
    for (let index = 0; index < names.length; index++) record[names[index]] = joinValues(list.values[names[index]]);
    return record;
  },
  /** True for a Headers of this call. */
  isHeaders: (state, value) => state.web.headers?.find(value) !== undefined,
  /** {url, method, headers, body, redirect, signal} of a Request, whose body counts as read; undefined for anything else. */
  request: (state, value) => {
    const record = state.web.request?.find(value);
    if (record === undefined) return undefined;
    if (record.isUsed) throw invalidRequest(state, "The body of the Request has been read already.");
    if (record.body !== null) record.isUsed = true;
    const { url, method, headers, redirect, signal } = record;
    return { __proto__: null, url, method, headers, body: record.body?.text ?? record.body?.bytes, redirect, signal };
  },
  /** A Response of an answer: {status, statusText, headers, setCookie, url, redirected, body: {text or bytes} or null}. */
  response: (state, { status, statusText, headers, setCookie, url, redirected, body }) => {
    const list = makeHeaderList();
    const names = objectKeys(headers);
    for (let index = 0; index < names.length; index++) list.values[names[index]] = [headers[names[index]]];
    if (setCookie.length > 0) list.values["set-cookie"] = arrayCopy(setCookie);
    list.isFrozen = true;
    const record = { __proto__: null, type: "basic", url, redirected, status, statusText, list, body };
    return webGroup(state, "response").ofAnswer(record);
  },
  /** Calls `onAbort` when the signal aborts: {isAborted, reason, stop}. Throws TypeError with the code INVALID_REQUEST for what is no AbortSignal. */
  follow: (state, { signal, onAbort }) => followSignal(state, signal, onAbort, (message) => invalidRequest(state, message)),
};
