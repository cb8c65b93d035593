// structuredClone (HTML standard, "StructuredSerializeInternal"). A Proxy is cloned as what it stands for, because the
// language cannot tell it apart; the engine's own would refuse it. Nothing can be transferred.

/** Tags of objects of the language that hold more than their properties. */
const UNCLONED_TAGS = {
  __proto__: null,
  "[object Arguments]": true,
  "[object Promise]": true,
  "[object WeakMap]": true,
  "[object WeakSet]": true,
  "[object Generator]": true,
  "[object AsyncGenerator]": true,
  "[object Array Iterator]": true,
  "[object Map Iterator]": true,
  "[object Set Iterator]": true,
  "[object String Iterator]": true,
};

function makeCloneNames(state) {
  const structuredClone = (...values) => {
    requireArguments(values.length, 1, "structuredClone");
    const transfer = isObject(values[1]) ? values[1].transfer : undefined;
    if (transfer !== undefined) for (const _ of transfer) refuseClone(state, "structuredClone cannot transfer here; it copies.");
    return cloneValue({ __proto__: null, state, known: new RawMap() }, values[0]);
  };
  return { __proto__: null, names: { __proto__: null, structuredClone } };
}

function refuseClone(state, message) {
  throw domError(state, "DataCloneError", message);
}

function cloneValue(job, value) {
  if (typeof value === "symbol") refuseClone(job.state, "A symbol cannot be cloned.");
  if (typeof value === "function") refuseClone(job.state, "A function cannot be cloned.");
  if (typeof value !== "object" || value === null) return value;
  const known = mapGet(job.known, value);
  if (known !== undefined) return known;
  const kind = weakMapGet(webKinds, value);
  if (kind === "DOMException") return keepClone(job, value, domError(job.state, value.name, value.message));
  if (kind !== undefined) refuseClone(job.state, `A ${kind} cannot be cloned.`);
  return cloneBranded(job, value) ?? cloneList(job, value) ?? cloneRecord(job, value, keepClone(job, value, {}));
}

function keepClone(job, value, clone) {
  mapSet(job.known, value, clone);
  return clone;
}

/** The clone of an object that is more than its properties; undefined for others. A forged tag does not make it one. */
function cloneBranded(job, value) {
  const tag = objectText(value);
  if (UNCLONED_TAGS[tag] === true) refuseClone(job.state, `${tag} cannot be cloned.`);
  const attempt = (read, make) => {
    let inner;
    try {
      inner = read(value);
    } catch {
      return undefined; // an ordinary object with a forged tag
    }
    return keepClone(job, value, make(inner));
  };
  switch (tag) {
    case "[object Date]":
      return attempt(dateTime, (time) => new RawDate(time));
    case "[object RegExp]":
      return attempt(regExpSource, (source) => new RawRegExp(source, regExpFlags(value)));
    case "[object Number]":
      return attempt(numberValue, RawObject);
    case "[object String]":
      return attempt(stringValue, RawObject);
    case "[object Boolean]":
      return attempt(booleanValue, RawObject);
    case "[object BigInt]":
      return attempt(bigintValue, RawObject);
    case "[object Symbol]":
      return refuseClone(job.state, "A symbol cannot be cloned.");
    case "[object Error]":
      return cloneError(job, value);
    case "[object Map]":
      return cloneMap(job, value);
    case "[object Set]":
      return cloneSet(job, value);
    default:
      return cloneBytes(job, value);
  }
}

function cloneBytes(job, value) {
  if (!isView(value)) {
    let bytes;
    try {
      bytes = new RawUint8Array(arrayBufferSlice(value, 0));
    } catch {
      return undefined; // no ArrayBuffer
    }
    return keepClone(job, value, typedArrayBuffer(bytes));
  }
  const name = typedArrayTag(value);
  const buffer = cloneValue(job, name === undefined ? dataViewBuffer(value) : typedArrayBuffer(value));
  if (name === undefined) return keepClone(job, value, new RawDataView(buffer, dataViewOffset(value), dataViewByteLength(value)));
  return keepClone(job, value, construct(typedArrayClasses[name], [buffer, typedArrayOffset(value), typedArrayLength(value)]));
}

function cloneMap(job, map) {
  const entries = entriesOf(map, mapForEach);
  if (entries === undefined) return undefined;
  const clone = keepClone(job, map, new RawMap());
  for (let index = 0; index < entries.length; index++) {
    mapSet(clone, cloneValue(job, entries[index].key), cloneValue(job, entries[index].value));
  }
  return clone;
}

function cloneSet(job, set) {
  const entries = entriesOf(set, setForEach);
  if (entries === undefined) return undefined;
  const clone = keepClone(job, set, new RawSet());
  for (let index = 0; index < entries.length; index++) setAdd(clone, cloneValue(job, entries[index].key));
  return clone;
}

function cloneError(job, error) {
  const given = error.name;
  const name = given === undefined ? "Error" : `${given}`;
  const Make = errorClasses[name] ?? RawError;
  const message = getOwnPropertyDescriptor(error, "message");
  const hasMessage = message !== undefined && hasOwn(message, "value");
  const clone = keepClone(job, error, hasMessage ? new Make(`${message.value}`) : new Make());
  const { stack } = error;
  if (typeof stack === "string") define(clone, "stack", stack, false);
  if (hasOwn(error, "cause")) define(clone, "cause", cloneValue(job, error.cause), false);
  return clone;
}

function cloneList(job, value) {
  if (!isArray(value)) return undefined;
  const clone = keepClone(job, value, []);
  clone.length = value.length;
  return cloneRecord(job, value, clone);
}

function cloneRecord(job, value, clone) {
  const names = objectKeys(value);
  for (let index = 0; index < names.length; index++) {
    if (hasOwn(value, names[index])) define(clone, names[index], cloneValue(job, value[names[index]]), true);
  }
  return clone;
}
