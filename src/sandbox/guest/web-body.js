// Bodies of requests and answers. A body is {text} or {bytes}, read in full; with `isUsed` once a script has read it.

/** Fetch standard, "extract a body": {text or bytes, type}. `type` is undefined where the standard gives none. */
function extractBody(state, value) {
  const given = webContent(state, value);
  if (given !== undefined) return given;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return { __proto__: null, bytes: typedArraySlice(bytes, 0), type: undefined };
  return { __proto__: null, text: toUsv(value), type: "text/plain;charset=UTF-8" };
}

/** The body that an object of a web class stands for; undefined for anything else. A class nobody named has no objects. */
function webContent(state, value) {
  if (!isObject(value)) return undefined;
  const text = state.web.url?.paramsText(value);
  if (text !== undefined) return { __proto__: null, text, type: "application/x-www-form-urlencoded;charset=UTF-8" };
  const files = state.web.files;
  const list = files?.formList(value);
  if (list !== undefined) {
    const boundary = `----toolyard-form-${randomHex(state, 12)}`;
    const bytes = encodeForm(list, files.blobOf, boundary);
    return { __proto__: null, bytes, type: `multipart/form-data; boundary=${boundary}` };
  }
  const blob = files?.blobOf(value);
  if (blob === undefined) return undefined;
  return { __proto__: null, bytes: blob.bytes, type: blob.type === "" ? undefined : blob.type };
}

/** The body as bytes of its own. */
function bodyBytes(body) {
  if (body === null) return new RawUint8Array(0);
  return body.bytes === undefined ? utf8Encode(body.text) : typedArraySlice(body.bytes, 0);
}

function bodyText(body) {
  if (body === null) return "";
  if (body.bytes !== undefined) return utf8Decode(body.bytes);
  return charCodeAt(body.text, 0) === 0xfeff ? stringSlice(body.text, 1) : body.text;
}

/** {value}, or undefined: the parser's own message quotes the body. */
function tryJson(text) {
  try {
    return { __proto__: null, value: jsonParse(text) };
  } catch {
    return undefined;
  }
}

/** Adds what Request and Response have in common: `brand` gives {body, headers}, `body` null where there is none. */
function addBodyMembers(state, Class, brand) {
  const take = (object) => {
    const record = brand.of(object);
    if (record.isUsed) throw new RawTypeError("The body has been read already; a clone() made before could be read again.");
    if (record.body !== null) record.isUsed = true;
    return record;
  };
  const methods = {
    async text() {
      return bodyText(take(this).body);
    },
    async json() {
      const record = take(this);
      const parsed = tryJson(bodyText(record.body));
      if (parsed === undefined) throw new RawSyntaxError(record.notJson());
      return parsed.value;
    },
    async bytes() {
      return bodyBytes(take(this).body);
    },
    async arrayBuffer() {
      return typedArrayBuffer(bodyBytes(take(this).body));
    },
    async blob() {
      const { body, list } = take(this);
      const type = list.values["content-type"];
      return webGroup(state, "files").makeBlob(bodyBytes(body), blobType(type === undefined ? "" : joinValues(type)));
    },
  };
  const names = objectKeys(methods);
  for (let index = 0; index < names.length; index++) define(Class.prototype, names[index], methods[names[index]], true);
  const readers = {
    get body() {
      brand.of(this);
      return null;
    },
    get bodyUsed() {
      return !!brand.of(this).isUsed;
    },
    get headers() {
      return brand.of(this).headers;
    },
  };
  const readerNames = ["body", "bodyUsed", "headers"];
  for (let index = 0; index < readerNames.length; index++) {
    defineAccessor(Class.prototype, readerNames[index], getOwnPropertyDescriptor(readers, readerNames[index]).get, undefined);
  }
}
