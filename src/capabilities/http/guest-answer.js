// An answer of the host becomes what a script gets: the response of g.http, or a Response of the web.

/** The parts of an answer as g.http gives them; the body is decoded when it is first asked for. */
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
    base64: () => base64 ?? base64Encode(utf8Encode(readText())),
    json: () => {
      const parsed = tryParse(bridge, readText());
      if (parsed !== undefined) return parsed.value;
      throw notJson(bridge, answer, readText());
    },
  };
}

/** Longest part of a body that an error has, in UTF-16 units. */
const EXCERPT_CHARACTERS = 500;

/** The body itself is for the script alone, so the message does not quote it. */
function notJson(bridge, { status, headers }, text) {
  const { cutText, define, ownValue, RawSyntaxError } = bridge.tools;
  const message = `The body of the answer (status ${status}, content type ${ownValue(headers, "content-type") ?? "none"}) is not JSON.`;
  const error = bridge.error("RESPONSE_NOT_JSON", message, RawSyntaxError);
  define(error, "status", status, true);
  define(error, "body", cutText(text, EXCERPT_CHARACTERS), false);
  return error;
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

/** The web's Response; its body is decoded when it is read. */
function makeFetchResponse(bridge, answer) {
  const { base64Decode, ownValue } = bridge.tools;
  const { status, statusText, headers, setCookie, url, redirected } = answer;
  const base64 = ownValue(answer, "bodyBase64");
  const body = base64 === undefined ? { __proto__: null, text: answer.bodyText } : { __proto__: null, bytes: base64Decode(base64) };
  return bridge.web("response", { __proto__: null, status, statusText, headers, setCookie, url, redirected, body });
}
