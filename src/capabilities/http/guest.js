// g.http and fetch: what a script writes becomes one request of plain data, and the answer an object a script knows.
// Only own properties of what a script gives are read, so that nothing inherited gets into a request.
(() => {
  const REDIRECTS = { __proto__: null, follow: true, manual: true, error: true };
  const RESPONSE_TYPES = { __proto__: null, text: true, json: true, bytes: true };

  const invalid = (bridge, message) => bridge.error("INVALID_REQUEST", message);
  const isRecord = (value) => typeof value === "object" && value !== null;

  /** {url, options} of both call forms: (options) and (url, options). An object without "url" is taken as a URL. */
  function readCall(bridge, name, first, second) {
    const { hasOwn } = bridge.tools;
    if (second !== undefined && second !== null && !isRecord(second)) throw invalid(bridge, `${name} takes its options as an object.`);
    const isOptions = isRecord(first) && hasOwn(first, "url");
    const base = isOptions ? first : { __proto__: null };
    const option = (key) => {
      const later = isRecord(second) && hasOwn(second, key) ? second[key] : undefined;
      return later === undefined && hasOwn(base, key) ? base[key] : later;
    };
    const given = isOptions ? first.url : first;
    const isPlain = !isRecord(given) || bridge.tools.isArray(given);
    const url = isPlain ? given : `${given}`;
    if (typeof url !== "string" || url === "" || url === "[object Object]") {
      throw invalid(bridge, `${name} needs the URL as text, first or as "url" of its options; it got ${typeof given}.`);
    }
    return { __proto__: null, url, option };
  }

  /** The one object that crosses the border. */
  function makeParams(bridge, name, first, second) {
    const { stringUpperCase } = bridge.tools;
    const { url, option } = readCall(bridge, name, first, second);
    const headers = readHeaders(bridge, option("headers"));
    const content = readBody(bridge, option);
    const method = option("method");
    if (method !== undefined && typeof method !== "string") throw invalid(bridge, `"method" must be text, such as "POST".`);
    if (content.type !== undefined && !hasHeader(bridge, headers, "content-type")) headers["content-type"] = content.type;
    const params = { __proto__: null, url: addQuery(bridge, url, option("query")), headers };
    if (method !== undefined) params.method = stringUpperCase(method);
    if (content.body !== undefined) params.body = content.body;
    const timeout = option("timeout");
    if (timeout !== undefined) params.timeoutMs = readTimeout(bridge, timeout);
    const redirect = option("redirect");
    if (redirect !== undefined) {
      if (REDIRECTS[`${redirect}`] !== true) throw invalid(bridge, '"redirect" must be "follow", "manual" or "error".');
      params.redirect = redirect;
    }
    return params;
  }

  function readTimeout(bridge, timeout) {
    if (typeof timeout === "number" && timeout > 0 && bridge.tools.isFiniteNumber(timeout)) return bridge.tools.ceil(timeout * 1000);
    throw invalid(bridge, '"timeout" must be a number of seconds above 0.');
  }

  /** A record, an array of pairs, a Map, or the headers of an answer of fetch. undefined and null values are left out. */
  function readHeaders(bridge, given) {
    const { apply, isArray, mapForEach, objectKeys, ownValue } = bridge.tools;
    const headers = { __proto__: null };
    const add = (value, name) => {
      if (value === undefined || value === null) return;
      if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") {
        throw invalid(bridge, `The header "${bridge.tools.cutText(`${name}`, 100)}" must be text, a number or a boolean.`);
      }
      headers[`${name}`] = `${value}`;
    };
    if (given === undefined || given === null) return headers;
    if (!isRecord(given)) throw invalid(bridge, '"headers" must be an object of names and values.');
    if (isArray(given)) {
      for (let index = 0; index < given.length; index++) {
        if (!isArray(given[index]) || given[index].length !== 2)
          throw invalid(bridge, '"headers" as an array must hold [name, value] pairs.');
        add(given[index][1], given[index][0]);
      }
      return headers;
    }
    try {
      mapForEach(given, add);
      return headers;
    } catch (thrown) {
      // Not a Map, or a header in it was refused.
      if (ownValue(isRecord(thrown) ? thrown : headers, "code") === "INVALID_REQUEST") throw thrown;
    }
    const forEach = ownValue(given, "forEach");
    if (typeof forEach === "function") apply(forEach, given, [add]);
    else {
      const names = objectKeys(given);
      for (let index = 0; index < names.length; index++) add(given[names[index]], names[index]);
    }
    return headers;
  }

  function hasHeader(bridge, headers, lowerName) {
    const names = bridge.tools.objectKeys(headers);
    for (let index = 0; index < names.length; index++) if (bridge.tools.stringLowerCase(names[index]) === lowerName) return true;
    return false;
  }

  function encode(bridge, value) {
    // A lone surrogate would throw.
    return bridge.tools.encodeComponent(bridge.tools.toWellFormed(`${value}`));
  }

  /** "a=1&b=2" of a record; an array repeats its name, undefined and null are left out. */
  function encodePairs(bridge, given, what) {
    const { isArray, objectKeys } = bridge.tools;
    if (!isRecord(given) || isArray(given)) throw invalid(bridge, `"${what}" must be an object of names and values.`);
    let text = "";
    const add = (name, value) => {
      if (value === undefined || value === null) return;
      if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") {
        throw invalid(bridge, `"${what}" may hold text, numbers and booleans, or arrays of them.`);
      }
      text += `${text === "" ? "" : "&"}${encode(bridge, name)}=${encode(bridge, value)}`;
    };
    const names = objectKeys(given);
    for (let index = 0; index < names.length; index++) {
      const value = given[names[index]];
      if (!isArray(value)) add(names[index], value);
      else for (let at = 0; at < value.length; at++) add(names[index], value[at]);
    }
    return text;
  }

  function addQuery(bridge, url, query) {
    if (query === undefined || query === null) return url;
    const { stringIndexOf, stringSlice } = bridge.tools;
    const pairs = encodePairs(bridge, query, "query");
    if (pairs === "") return url;
    const hash = stringIndexOf(url, "#");
    const base = hash < 0 ? url : stringSlice(url, 0, hash);
    const fragment = hash < 0 ? "" : stringSlice(url, hash);
    const mark = stringIndexOf(base, "?");
    const isOpen = mark === base.length - 1 || base[base.length - 1] === "&";
    return `${base}${mark < 0 ? "?" : isOpen ? "" : "&"}${pairs}${fragment}`;
  }

  /** {body, type}: text as it is, bytes as base64, everything else as JSON; `type` is the content type to set if none is. */
  function readBody(bridge, option) {
    const { base64Encode, bytesOf, jsonStringify, typedArrayByteLength } = bridge.tools;
    const body = option("body");
    const form = option("form");
    if (form !== undefined && form !== null) {
      if (body !== undefined && body !== null) throw invalid(bridge, 'A request has "form" or "body", not both.');
      return textBody(bridge, encodePairs(bridge, form, "form"), "application/x-www-form-urlencoded");
    }
    if (body === undefined || body === null) return { __proto__: null, body: undefined, type: undefined };
    if (typeof body === "string") return textBody(bridge, body, undefined);
    const bytes = isRecord(body) ? bytesOf(body) : undefined;
    if (bytes !== undefined) {
      if (typedArrayByteLength(bytes) > bridge.caps.requestBodyBytes) throw tooLarge(bridge);
      return { __proto__: null, body: { __proto__: null, kind: "bytes", base64: base64Encode(bytes) }, type: undefined };
    }
    const json = jsonStringify(body);
    if (json === undefined) throw invalid(bridge, `"body" must be text, bytes or a JSON value; it is a ${typeof body}.`);
    return textBody(bridge, json, "application/json");
  }

  function textBody(bridge, given, type) {
    const text = bridge.tools.toWellFormed(given);
    if (bridge.tools.isOver(text, bridge.caps.requestBodyBytes)) throw tooLarge(bridge);
    return { __proto__: null, body: { __proto__: null, kind: "text", text }, type };
  }

  function tooLarge(bridge) {
    return invalid(
      bridge,
      `The request body is over the limit of ${bridge.caps.requestBodyBytes} bytes ("requestBodyBytes" in "limits"). Send less, or in parts.`,
    );
  }

  /** The parts of an answer that both forms share; the body is decoded when it is first asked for. */
  function readAnswer(bridge, answer) {
    const { arrayCopy, base64Decode, base64Encode, freeze, objectKeys, ownValue, utf8Decode, utf8Encode } = bridge.tools;
    let text = ownValue(answer, "bodyText");
    const base64 = ownValue(answer, "bodyBase64");
    const headers = { __proto__: null };
    const names = objectKeys(answer.headers);
    for (let index = 0; index < names.length; index++) headers[names[index]] = answer.headers[names[index]];
    const readText = () => (text ??= utf8Decode(base64Decode(base64 ?? "")));
    return {
      __proto__: null,
      headers: freeze(headers),
      setCookie: freeze(arrayCopy(answer.setCookie)),
      isOk: answer.status >= 200 && answer.status <= 299,
      text: readText,
      bytes: () => (base64 === undefined ? utf8Encode(readText()) : base64Decode(base64)),
      base64: () => base64 ?? base64Encode(utf8Encode(readText())),
      json: () => {
        const parsed = tryParse(bridge, readText());
        if (parsed !== undefined) return parsed.value;
        const type = ownValue(headers, "content-type") ?? "none";
        throw new bridge.tools.RawSyntaxError(`The body of the answer (status ${answer.status}, content type ${type}) is not JSON.`);
      },
    };
  }

  /** {value}, or undefined: the parser's own message quotes the body. */
  function tryParse(bridge, text) {
    try {
      return { __proto__: null, value: bridge.tools.jsonParse(text) };
    } catch {
      return undefined;
    }
  }

  /** GHttpResponse. Methods are not enumerable, so that a response can be logged and returned as data. */
  function makeResponse(bridge, answer, responseType) {
    const { define, defineGetter, freeze } = bridge.tools;
    const { status, statusText, url, redirected } = answer;
    const parts = readAnswer(bridge, answer);
    const { headers, setCookie } = parts;
    const response = { ok: parts.isOk, status, statusCode: status, statusText, headers, setCookie, url, redirected };
    if (responseType === "bytes") {
      define(response, "body", "", true);
      define(response, "bodyBase64", parts.base64(), true);
    } else defineGetter(response, "body", parts.text);
    if (responseType === "json") define(response, "data", parts.json(), true);
    define(response, "json", () => parts.json(), false);
    define(response, "text", () => parts.text(), false);
    return freeze(response);
  }

  /** The part of the web's Headers that reads. */
  function makeHeaders(bridge, headers, setCookie) {
    const { arrayCopy, arrayValues, define, freeze, objectKeys, ownValue, stringLowerCase } = bridge.tools;
    const list = (pick) => {
      const names = objectKeys(headers);
      const picked = [];
      for (let index = 0; index < names.length; index++) define(picked, index, pick(names[index]), true);
      return arrayValues(picked);
    };
    const entries = () => list((name) => [name, headers[name]]);
    const view = {
      __proto__: null,
      get: (name) => ownValue(headers, stringLowerCase(`${name}`)) ?? null,
      has: (name) => ownValue(headers, stringLowerCase(`${name}`)) !== undefined,
      entries,
      keys: () => list((name) => name),
      values: () => list((name) => headers[name]),
      forEach: (visit) => {
        const names = objectKeys(headers);
        for (let index = 0; index < names.length; index++) visit(headers[names[index]], names[index], view);
      },
      getSetCookie: () => arrayCopy(setCookie),
      [Symbol.iterator]: entries,
    };
    return freeze(view);
  }

  /** The part of the web's Response that reads; its body may be read more than once. */
  function makeFetchResponse(bridge, answer) {
    const { define, freeze, typedArrayBuffer } = bridge.tools;
    const { status, statusText, url, redirected } = answer;
    const parts = readAnswer(bridge, answer);
    const headers = makeHeaders(bridge, parts.headers, parts.setCookie);
    const response = { ok: parts.isOk, status, statusText, headers, url, redirected };
    define(response, "text", async () => parts.text(), false);
    define(response, "json", async () => parts.json(), false);
    define(response, "bytes", async () => parts.bytes(), false);
    define(response, "arrayBuffer", async () => typedArrayBuffer(parts.bytes()), false);
    return freeze(response);
  }

  return (bridge) => {
    const makeHttpRequest = (first, second) => {
      let responseType;
      const prepare = () => {
        responseType = readCall(bridge, "g.http.makeHttpRequest", first, second).option("responseType") ?? "text";
        if (RESPONSE_TYPES[`${responseType}`] !== true) throw invalid(bridge, '"responseType" must be "text", "json" or "bytes".');
        return makeParams(bridge, "g.http.makeHttpRequest", first, second);
      };
      return bridge.hostCall("http.makeHttpRequest", prepare, (answer) => makeResponse(bridge, answer, responseType));
    };
    const fetch = (input, init) =>
      bridge.hostCall(
        "http.makeHttpRequest",
        () => makeParams(bridge, "fetch", input, init),
        (answer) => makeFetchResponse(bridge, answer),
      );
    return { member: bridge.tools.freeze({ __proto__: null, makeHttpRequest }), globals: { __proto__: null, fetch } };
  };
})();
