// What a script writes becomes one request of plain data. Only own properties of what a script gives are read, so that
// nothing inherited gets into a request.

const REDIRECTS = { __proto__: null, follow: true, manual: true, error: true };
/** Fetch standard, "normalize a method": these in any case, all others as they are written. By ASCII lower case. */
const NORMAL_METHODS = { __proto__: null, delete: "DELETE", get: "GET", head: "HEAD", options: "OPTIONS", post: "POST", put: "PUT" };
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
    const found = url === "" ? "an empty text" : given === null ? "null" : isRecord(given) ? "an object" : typeof given;
    throw invalid(bridge, `${name} needs the URL as text, first or as "url" of its options; it got ${found}.`);
  }
  return { __proto__: null, url, option };
}

/** The one object that crosses the border, and the signal that may abort the request: {params, signal}. */
function makeParams(bridge, name, first, second) {
  const { url, option } = readRequest(bridge, name, first, second);
  const headers = readHeaders(bridge, option("headers"));
  const content = readBody(bridge, option);
  const method = readMethod(bridge, option("method"));
  if (bridge.isWeb === true && content.body !== undefined && (method === "GET" || method === "HEAD")) {
    throw invalid(bridge, `A request with GET or HEAD has no body. Leave the body out, or set "method" to another, such as "POST".`);
  }
  if (content.type !== undefined && !hasHeader(bridge, headers, "content-type")) headers["content-type"] = content.type;
  const params = { __proto__: null, url: addQuery(bridge, url, option("query")), headers };
  if (method !== undefined) params.method = method;
  if (content.body !== undefined) params.body = content.body;
  const timeout = option("timeout");
  if (timeout !== undefined) params.timeoutMs = readTimeout(bridge, timeout);
  const redirect = option("redirect");
  if (redirect !== undefined) {
    if (REDIRECTS[`${redirect}`] !== true) throw invalid(bridge, '"redirect" must be "follow", "manual" or "error".');
    params.redirect = redirect;
  }
  return { __proto__: null, params, signal: option("signal") ?? undefined };
}

/** As `readCall`, also of a Request: what the options do not say is the Request's. */
function readRequest(bridge, name, first, second) {
  const request = bridge.web("request", first);
  if (request === undefined) return readCall(bridge, name, first, second);
  const { option } = readCall(bridge, name, request.url, second);
  return { __proto__: null, url: request.url, option: (key) => option(key) ?? bridge.tools.ownValue(request, key) ?? undefined };
}

/** In capitals; of fetch only the methods that its standard writes so. What is no method the host refuses. */
function readMethod(bridge, given) {
  if (given === undefined) return undefined;
  if (typeof given !== "string") throw invalid(bridge, `"method" must be text, such as "POST".`);
  const { stringLowerCase, stringUpperCase } = bridge.tools;
  return bridge.isWeb === true ? (NORMAL_METHODS[stringLowerCase(given)] ?? given) : stringUpperCase(given);
}

function readTimeout(bridge, timeout) {
  if (typeof timeout === "number" && timeout > 0 && bridge.tools.isFiniteNumber(timeout)) return bridge.tools.ceil(timeout * 1000);
  throw invalid(bridge, '"timeout" must be a number of seconds above 0.');
}

/** Headers, a record, an array of pairs or a Map. undefined and null values are left out, but not by fetch. */
function readHeaders(bridge, given) {
  const { isArray, mapForEach, objectKeys, ownValue } = bridge.tools;
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
  if (bridge.isWeb === true || bridge.web("isHeaders", given)) return bridge.web("headers", given);
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
  const names = objectKeys(given);
  for (let index = 0; index < names.length; index++) add(given[names[index]], names[index]);
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

/**
 * {body, type}: text as it is, bytes as base64, parameters and forms of the web as they are sent, everything else as
 * JSON; `type` is the content type to set if none is.
 */
function readBody(bridge, option) {
  const { bytesOf, jsonStringify } = bridge.tools;
  const body = option("body");
  const form = option("form");
  if (form !== undefined && form !== null) {
    if (body !== undefined && body !== null) throw invalid(bridge, 'A request has "form" or "body", not both.');
    return textBody(bridge, encodePairs(bridge, form, "form"), "application/x-www-form-urlencoded");
  }
  if (body === undefined || body === null) return { __proto__: null, body: undefined, type: undefined };
  if (typeof body === "string") return textBody(bridge, body, bridge.isWeb === true ? "text/plain;charset=UTF-8" : undefined);
  const content = bridge.web("content", body);
  if (content?.text !== undefined) return textBody(bridge, content.text, content.type);
  const bytes = content?.bytes ?? (isRecord(body) ? bytesOf(body) : undefined);
  if (bytes !== undefined) return bytesBody(bridge, bytes, content?.type);
  const json = jsonStringify(body);
  if (json === undefined) throw invalid(bridge, `"body" must be text, bytes or a JSON value; it is a ${typeof body}.`);
  return textBody(bridge, json, "application/json");
}

function textBody(bridge, given, type) {
  const text = bridge.tools.toWellFormed(given);
  if (bridge.tools.isOver(text, bridge.caps.requestBodyBytes)) throw tooLarge(bridge);
  return { __proto__: null, body: { __proto__: null, kind: "text", text }, type };
}

function bytesBody(bridge, bytes, type) {
  const { base64Encode, typedArrayByteLength } = bridge.tools;
  if (typedArrayByteLength(bytes) > bridge.caps.requestBodyBytes) throw tooLarge(bridge);
  return { __proto__: null, body: { __proto__: null, kind: "bytes", base64: base64Encode(bytes) }, type };
}

function tooLarge(bridge) {
  return invalid(
    bridge,
    `The request body is over the limit of ${bridge.caps.requestBodyBytes} bytes ("requestBodyBytes" in "limits"). Send less, or in parts.`,
  );
}
