// What a script returns, as JSON text. Written by us and not by JSON.stringify, because a size limit must stop the work
// and not judge it afterwards, and because an error must name the place in the value.
// undefined, NaN and infinities become null (undefined properties are left out), BigInt its digits, Date its ISO text
// (invalid: null), Map an object if all keys are strings, else pairs, Set an array, Error its name and message, typed
// arrays and ArrayBuffer {base64}, lone surrogates U+FFFD; RegExp, Headers and URLSearchParams are in tagged.js, and what
// is refused instead of becoming {}. toJSON is honoured as JSON.stringify does. A property named __proto__ is left out.

/** Some readers of a result drop this key, and in others it reaches a prototype; left out here, text and structured content are the same. */
const LEFT_OUT = "__proto__";

/** `{json}`, or `{code, message}` where the value is none that JSON text can hold or is over `maxBytes`. */
function serializeResult(root, maxBytes, messageCharacters) {
  const writer = makeWriter(maxBytes, messageCharacters);
  try {
    writer.write(root, true);
  } catch (thrown) {
    if (writer.failure === undefined) throw thrown;
    return writer.failure;
  }
  const json = writer.text;
  return isOver(json, maxBytes) ? tooLarge(maxBytes) : { __proto__: NOTHING, json };
}

function tooLarge(maxBytes) {
  const message = `The result is over the limit of ${maxBytes} bytes as JSON ("resultBytes" in "limits"). Return less: a part, a page or a summary.`;
  return { __proto__: null, code: "RESULT_TOO_LARGE", message };
}

function makeWriter(maxBytes, messageCharacters) {
  return {
    __proto__: NOTHING,
    maxBytes,
    messageCharacters,
    /** UTF-16 units that may still be written; each takes at least one byte. */
    left: maxBytes,
    text: "",
    failure: undefined,
    /** Keys from the root to the value being written. */
    path: bareArray(),
    depth: 0,
    /** Levels of JSON beyond `depth`: a Map written as pairs takes two. */
    pairLevels: 0,
    /** The containers the value being written stands in. */
    open: new RawSet(),
    write: writeValue,
  };
}

/** Never returns. The record is thrown only to unwind; it is known by identity, which a script cannot have. */
function refuse(writer, code, message) {
  writer.failure ??= { __proto__: null, code, message };
  throw writer.failure;
}

function refuseValue(writer, what) {
  refuse(writer, "SCRIPT_ERROR", `${pathText(writer)} ${what}.`);
}

function put(writer, piece) {
  writer.left -= piece.length;
  if (writer.left < 0) {
    writer.failure ??= tooLarge(writer.maxBytes);
    throw writer.failure;
  }
  writer.text += piece;
}

function putString(writer, text) {
  if (text.length > writer.left) put(writer, text);
  put(writer, jsonStringify(isWellFormed(text) ? text : toWellFormed(text)));
}

/** Runs what may meet a getter or Proxy of the script; its failure becomes one that names the path. */
function readSafely(writer, read, value, name) {
  try {
    return read(value, name);
  } catch (thrown) {
    const { message } = describeThrown(thrown, "", writer.messageCharacters - PATH_CHARACTERS - 50);
    return refuseValue(writer, `cannot be read: ${message}`);
  }
}

const readMember = (value, name) => value[name];
const callToJson = (value, key) => apply(value.method, value.owner, [key]);

function writeValue(value, mayConvert) {
  switch (typeof value) {
    case "string":
      return putString(this, value);
    case "number":
      return put(this, isFiniteNumber(value) ? `${value}` : "null");
    case "boolean":
      return put(this, value ? "true" : "false");
    case "bigint":
      return put(this, `"${value}"`);
    case "undefined":
      return put(this, "null");
    case "function":
      return refuseValue(this, "is a function, which JSON cannot hold");
    case "symbol":
      return refuseValue(this, "is a symbol, which JSON cannot hold");
    default:
      return value === null ? put(this, "null") : writeObject(this, value, mayConvert);
  }
}

function writeObject(writer, value, mayConvert) {
  const tag = readSafely(writer, objectText, value);
  if (mayConvert) {
    const method = readSafely(writer, readMember, value, "toJSON");
    if (typeof method === "function" && method !== rawDateToJson) {
      const key = writer.depth === 0 ? "" : `${writer.path[writer.depth - 1]}`;
      return writer.write(readSafely(writer, callToJson, { __proto__: null, owner: value, method }, key), false);
    }
  }
  if (setHas(writer.open, value)) return refuseValue(writer, "refers back to an object it stands in");
  refuseDepth(writer);
  setAdd(writer.open, value);
  // Until a member is read, a message about this object must not name a member of the one before it.
  writer.path[writer.depth] = undefined;
  writer.depth += 1;
  if (!writeSpecial(writer, value, tag)) {
    if (readSafely(writer, isArray, value)) writeArray(writer, value);
    else writeRecord(writer, value);
  }
  writer.depth -= 1;
  setDelete(writer.open, value);
}

/** Writes objects that JSON knows nothing of. The tag can be forged, so the brand is asked again where it is used. */
function writeSpecial(writer, value, tag) {
  switch (tag) {
    case "[object Date]":
      return writeBranded(value, dateTime, (time) => put(writer, isFiniteNumber(time) ? `"${dateIso(value)}"` : "null"));
    case "[object Map]":
      return writeMap(writer, value);
    case "[object Set]":
      return writeSet(writer, value);
    case "[object Error]":
    case "[object DOMException]":
      return writeError(writer, value);
    case "[object Number]":
      return writeBranded(value, numberValue, (plain) => writer.write(plain, false));
    case "[object String]":
      return writeBranded(value, stringValue, (plain) => writer.write(plain, false));
    case "[object Boolean]":
      return writeBranded(value, booleanValue, (plain) => writer.write(plain, false));
    case "[object BigInt]":
      return writeBranded(value, bigintValue, (plain) => writer.write(plain, false));
    case "[object Promise]":
      return refuseValue(writer, "is a Promise; await it before returning");
    case "[object ArrayBuffer]":
      return writeBytes(writer, value);
    default:
      // To ask every plain object whether it is a buffer would throw and catch an error for each, the largest cost of a result.
      return (isView(value) && writeBytes(writer, value)) || (tag !== "[object Object]" && writeTagged(writer, value, tag));
  }
}

function writeBranded(value, unwrap, write) {
  let plain;
  try {
    plain = unwrap(value);
  } catch {
    return false; // an ordinary object with a forged tag
  }
  write(plain);
  return true;
}

function writeBytes(writer, value) {
  const bytes = bytesOf(value);
  if (bytes === undefined) return false;
  if (typedArrayByteLength(bytes) > writer.left) put(writer, { __proto__: null, length: typedArrayByteLength(bytes) });
  put(writer, `{"base64":"${base64Encode(bytes)}"}`);
  return true;
}

function writeError(writer, error) {
  const name = readSafely(writer, readMember, error, "name");
  const message = readSafely(writer, readMember, error, "message");
  put(writer, '{"name":');
  putString(writer, typeof name === "string" ? name : "Error");
  put(writer, ',"message":');
  putString(writer, typeof message === "string" ? message : "");
  put(writer, "}");
  return true;
}

function writeArray(writer, value) {
  const length = readSafely(writer, readMember, value, "length");
  put(writer, "[");
  for (let index = 0; index < length; index++) {
    if (index > 0) put(writer, ",");
    writer.path[writer.depth - 1] = index;
    writer.write(readSafely(writer, readMember, value, index), true);
  }
  put(writer, "]");
}

function writeRecord(writer, value) {
  const keys = readSafely(writer, objectKeys, value);
  let isFirst = true;
  put(writer, "{");
  for (let index = 0; index < keys.length; index++) {
    if (keys[index] === LEFT_OUT) continue;
    writer.path[writer.depth - 1] = keys[index];
    const member = readSafely(writer, readMember, value, keys[index]);
    if (member === undefined) continue;
    writeMember(writer, keys[index], member, isFirst);
    isFirst = false;
  }
  put(writer, "}");
}

function writeMember(writer, key, member, isFirst) {
  if (!isFirst) put(writer, ",");
  putString(writer, key);
  put(writer, ":");
  writer.write(member, true);
}

/** Every entry of a Map, or of a Set as [value, value]; undefined for anything else. */
function entriesOf(collection, forEach) {
  const entries = bareArray();
  try {
    forEach(collection, (value, key) => {
      entries[entries.length] = { __proto__: null, key, value };
    });
  } catch {
    return undefined; // an ordinary object with a forged tag
  }
  return entries;
}

function writeMap(writer, map) {
  const entries = entriesOf(map, mapForEach);
  if (entries === undefined) return false;
  let isRecord = true;
  for (let index = 0; index < entries.length && isRecord; index++) isRecord = typeof entries[index].key === "string";
  if (isRecord) writeMapRecord(writer, entries);
  else writeMapPairs(writer, entries);
  return true;
}

function writeMapRecord(writer, entries) {
  let isFirst = true;
  put(writer, "{");
  for (let index = 0; index < entries.length; index++) {
    const { key, value } = entries[index];
    if (value === undefined || key === LEFT_OUT) continue;
    writer.path[writer.depth - 1] = key;
    writeMember(writer, key, value, isFirst);
    isFirst = false;
  }
  put(writer, "}");
}

function writeMapPairs(writer, entries) {
  if (entries.length > 0) refuseDepth(writer);
  writer.pairLevels += 1;
  put(writer, "[");
  for (let index = 0; index < entries.length; index++) {
    writer.path[writer.depth - 1] = index;
    put(writer, index === 0 ? "[" : ",[");
    writer.write(entries[index].key, true);
    put(writer, ",");
    writer.write(entries[index].value, true);
    put(writer, "]");
  }
  put(writer, "]");
  writer.pairLevels -= 1;
}

function writeSet(writer, set) {
  const entries = entriesOf(set, setForEach);
  if (entries === undefined) return false;
  put(writer, "[");
  for (let index = 0; index < entries.length; index++) {
    if (index > 0) put(writer, ",");
    writer.path[writer.depth - 1] = index;
    writer.write(entries[index].value, true);
  }
  put(writer, "]");
  return true;
}
