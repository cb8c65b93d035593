// Request and Response. What has no meaning here (mode, credentials, cache, referrer, streams, trailers) is left out.

/** Fetch standard, "null body status". */
const BODILESS = { __proto__: null, 101: true, 103: true, 204: true, 205: true, 304: true };

const REDIRECT_STATUS = { __proto__: null, 301: true, 302: true, 303: true, 307: true, 308: true };

const NORMAL_METHODS = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };
const BARRED_METHODS = { __proto__: null, CONNECT: true, TRACE: true, TRACK: true };
const REDIRECT_MODES = { __proto__: null, follow: true, manual: true, error: true };

function makeResponseNames(state) {
  const brand = makeBrand("Response");
  const adopt = (response, record) => {
    brand.add(response, completeRecord(state, record));
    weakMapSet(webTexts, response, () => `Response ${record.status}`);
    return response;
  };
  const make = (body, init) => {
    const { status, statusText, list } = readResponseInit(state, init);
    const record = { __proto__: null, type: "default", url: "", redirected: false, status, statusText, list, body: null };
    return attachBody(state, record, body);
  };
  class Response {
    constructor(body = null, init = undefined) {
      adopt(this, make(body, init));
    }
    static error() {
      const list = makeHeaderList();
      list.isFrozen = true;
      const record = { __proto__: null, type: "error", url: "", redirected: false, status: 0, statusText: "", list, body: null };
      return adopt(objectCreate(Response.prototype), record);
    }
    static redirect(url, status = 302) {
      const parsed = webGroup(state, "url").parse(toUsv(url));
      if (parsed === undefined) throw invalidUrl(toUsv(url));
      if (REDIRECT_STATUS[+status] !== true) throw new RawRangeError("Response.redirect takes the status 301, 302, 303, 307 or 308.");
      const response = new Response(null, { __proto__: null, status: +status, headers: { __proto__: null, location: parsed.href } });
      brand.of(response).list.isFrozen = true;
      return response;
    }
    static json(data, init) {
      const text = jsonStringify(data);
      if (text === undefined) throw new RawTypeError("Response.json needs a value that JSON can hold.");
      const record = make(null, init);
      record.list.values["content-type"] ??= ["application/json"];
      return adopt(objectCreate(Response.prototype), attachBody(state, record, text));
    }
    get ok() {
      const { status } = brand.of(this);
      return status >= 200 && status <= 299;
    }
    clone() {
      const { isUsed, list, ...rest } = brand.of(this);
      if (isUsed) throw new RawTypeError("A Response cannot be cloned once its body has been read.");
      const copy = makeHeaderList();
      copyHeaders(copy, list);
      copy.isFrozen = list.isFrozen;
      return adopt(objectCreate(Response.prototype), { __proto__: null, ...rest, list: copy });
    }
  }
  const readers = ["type", "url", "redirected", "status", "statusText"];
  for (let index = 0; index < readers.length; index++) defineReader(Response.prototype, readers[index], brand);
  addBodyMembers(state, Response, brand);
  finishClass(Response, "Response");
  /** The answer of a request. */
  const ofAnswer = (record) => adopt(objectCreate(Response.prototype), record);
  return { __proto__: null, names: { __proto__: null, Response }, ofAnswer };
}

/** Headers and what a body that is no JSON is told by. */
function completeRecord(state, record) {
  record.headers = webGroup(state, "headers").wrap(record.list);
  record.isUsed = false;
  record.notJson = () => {
    const type = record.list.values["content-type"];
    const shown = type === undefined ? "none" : joinValues(type);
    return record.type === "basic"
      ? `The body of the answer (status ${record.status}, content type ${shown}) is not JSON.`
      : `The body (content type ${shown}) is not JSON.`;
  };
  return record;
}

function readResponseInit(state, init) {
  const given = readOptions(init, "new Response");
  const status = given.status === undefined ? 200 : unsignedShort(given.status);
  if (status < 200 || status > 599) throw new RawRangeError("The status of a Response is a number from 200 to 599.");
  const statusText = given.statusText === undefined ? "" : `${given.statusText}`;
  for (let index = 0; index < statusText.length; index++) {
    const unit = charCodeAt(statusText, index);
    if (unit !== 9 && (unit < 32 || unit === 127 || unit > 255))
      throw new RawTypeError('"statusText" has a character that it cannot hold.');
  }
  const list = makeHeaderList();
  if (given.headers !== undefined) fillHeaders(list, given.headers, webGroup(state, "headers"));
  return { __proto__: null, status, statusText, list };
}

/** Web IDL "unsigned short". */
function unsignedShort(value) {
  const number = trunc(+value);
  return isFiniteNumber(number) ? ((number % 65_536) + 65_536) % 65_536 : 0;
}

function attachBody(state, record, body) {
  if (body === null || body === undefined) return record;
  if (BODILESS[record.status] === true) throw new RawTypeError(`A Response with status ${record.status} cannot have a body.`);
  setBody(state, record, body);
  return record;
}

function setBody(state, record, given) {
  const { type, ...body } = extractBody(state, given);
  record.body = body;
  if (type !== undefined) record.list.values["content-type"] ??= [type];
}

function makeRequestNames(state) {
  const brand = makeBrand("Request");
  const adopt = (request, record) => {
    const { signal } = record;
    const { create } = webGroup(state, "abort");
    const own = signal === null ? create() : webName(state, "AbortSignal").any([signal]);
    brand.add(request, completeRecord(state, record));
    record.signal = own;
    weakMapSet(webTexts, request, () => `Request ${record.method} ${record.url}`);
    return request;
  };
  class Request {
    constructor(input, init) {
      requireArguments(arguments.length, 1, "new Request");
      adopt(this, readRequest(state, brand, { __proto__: null, input, init: readOptions(init, "new Request") }));
    }
    clone() {
      const { isUsed, list, headers, notJson, ...rest } = brand.of(this);
      if (isUsed) throw new RawTypeError("A Request cannot be cloned once its body has been read.");
      const copy = makeHeaderList();
      copyHeaders(copy, list);
      return adopt(objectCreate(Request.prototype), { __proto__: null, ...rest, list: copy });
    }
  }
  const readers = ["method", "url", "redirect", "signal"];
  for (let index = 0; index < readers.length; index++) defineReader(Request.prototype, readers[index], brand);
  addBodyMembers(state, Request, brand);
  return { __proto__: null, names: { __proto__: null, Request: finishClass(Request, "Request") }, find: brand.find };
}

/** Fetch standard, the Request constructor. */
function readRequest(state, brand, { input, init }) {
  const base = brand.find(input);
  const record = { __proto__: null, method: "GET", url: "", redirect: "follow", signal: null, list: makeHeaderList(), body: null };
  if (base !== undefined) {
    record.method = base.method;
    record.url = base.url;
    record.redirect = base.redirect;
    record.signal = base.signal;
    copyHeaders(record.list, base.list);
  } else record.url = requestUrl(state, toUsv(input));
  if (init.method !== undefined) record.method = requestMethod(`${init.method}`);
  if (init.redirect !== undefined) {
    if (REDIRECT_MODES[`${init.redirect}`] !== true) throw new RawTypeError('"redirect" must be "follow", "manual" or "error".');
    record.redirect = `${init.redirect}`;
  }
  if (init.signal !== undefined) {
    if (init.signal !== null) followSignal(state, init.signal, () => undefined).stop();
    record.signal = init.signal;
  }
  if (init.headers !== undefined) {
    record.list = makeHeaderList();
    fillHeaders(record.list, init.headers, webGroup(state, "headers"));
  }
  const hasBody = init.body !== undefined && init.body !== null;
  if ((hasBody || (base?.body ?? null) !== null) && (record.method === "GET" || record.method === "HEAD")) {
    throw new RawTypeError("A request with GET or HEAD has no body.");
  }
  if (hasBody) setBody(state, record, init.body);
  else if (base !== undefined && base.body !== null) {
    if (base.isUsed) throw new RawTypeError("The body of the Request has been read already.");
    base.isUsed = true;
    record.body = base.body;
  }
  return record;
}

function requestUrl(state, text) {
  const parsed = webGroup(state, "url").parse(text);
  if (parsed === undefined) throw invalidUrl(text);
  if (parsed.hasCredentials) throw new RawTypeError("The URL of a request has no user name and password in it.");
  return parsed.href;
}

/** Throws TypeError for what is no method, and for those a script never sends. */
function requestMethod(given) {
  let isToken = given !== "";
  for (let index = 0; index < given.length && isToken; index++) isToken = isTokenUnit(charCodeAt(given, index));
  const upper = stringUpperCase(given);
  if (!isToken || BARRED_METHODS[upper] === true) throw new RawTypeError(`${jsonStringify(cutText(given, 40))} is no method of a request.`);
  return NORMAL_METHODS[upper] === true ? upper : given;
}
