// Values as log text: like JSON, but never failing and never running a getter.

/** Deepest nesting that is shown. */
const FORMAT_DEPTH = 4;

/** Most members of one array or object that are shown. */
const FORMAT_MEMBERS = 100;

/** Most errors of an AggregateError that are shown. */
const REASONS = 10;

/** The arguments of a log call as one text of at most `maxCharacters` UTF-16 units. */
function formatLine(values, maxCharacters) {
  const template = values[0];
  const isTemplate = values.length > 1 && typeof template === "string" && stringIndexOf(template, "%") >= 0;
  const filled = isTemplate ? fillTemplate(template, values, maxCharacters) : { __proto__: null, text: "", used: 0 };
  let { text } = filled;
  for (let index = filled.used; index < values.length && text.length <= maxCharacters; index++) {
    if (index > 0) text += " ";
    const value = values[index];
    text += typeof value === "string" ? stringSlice(value, 0, maxCharacters + 1) : formatValue(value, maxCharacters - text.length);
  }
  return cutText(text, max(1, maxCharacters));
}

/** The first value with the ones behind it filled in, as `util.format` of Node does: {text, used}. */
function fillTemplate(template, values, maxCharacters) {
  let text = "";
  let used = 1;
  let from = 0;
  while (text.length <= maxCharacters) {
    const at = stringIndexOf(template, "%", from);
    if (at < 0 || at + 1 >= template.length) break;
    const kind = template[at + 1];
    text += stringSlice(template, from, at);
    from = at + 2;
    if (kind === "%") text += "%";
    else if (stringIndexOf("sdifjoOc", kind) < 0 || used >= values.length) text += `%${kind}`;
    else text += filledIn(kind, values[used++], max(1, maxCharacters - text.length));
  }
  return { __proto__: null, text: text + stringSlice(template, from, from + maxCharacters + 1), used };
}

function filledIn(kind, value, maxCharacters) {
  if (kind === "c") return "";
  const isText = typeof value === "string";
  if (kind === "s") return isText ? stringSlice(value, 0, maxCharacters + 1) : formatValue(value, maxCharacters);
  if (kind === "j" || kind === "o" || kind === "O") return formatValue(value, maxCharacters);
  if (typeof value === "bigint") return `${value}n`;
  // Of an object this would run its valueOf.
  const number = isObject(value) || typeof value === "symbol" ? NaN : +value;
  return `${kind === "i" ? trunc(number) : number}`;
}

/** One value; strings are quoted. */
function formatValue(value, maxCharacters) {
  const output = { __proto__: null, text: "", left: maxCharacters, open: new RawSet() };
  try {
    formatInto(output, value, 0);
  } catch {
    // A Proxy whose traps throw, or a stack at its end; what is written so far stays.
    output.text += "[unreadable]";
  }
  return cutText(output.text, max(1, maxCharacters));
}

function emit(output, text) {
  output.text += text;
  output.left -= text.length;
}

function formatInto(output, value, depth) {
  if (output.left <= 0) return;
  switch (typeof value) {
    case "string":
      return emit(output, jsonStringify(stringSlice(value, 0, max(0, output.left))));
    case "bigint":
      return emit(output, `${value}n`);
    case "function":
      return emit(output, "[Function]");
    case "object":
      return value === null ? emit(output, "null") : formatObject(output, value, depth);
    default:
      return emit(output, primitiveText(value));
  }
}

function formatObject(output, value, depth) {
  if (setHas(output.open, value)) return emit(output, "[Circular]");
  const describe = weakMapGet(webTexts, value);
  if (describe !== undefined) return emit(output, cutText(describe(), max(1, output.left)));
  const tag = objectText(value);
  if (tag === "[object Error]" || tag === "[object DOMException]") {
    emit(output, errorText(value, output.left));
    return formatReasons(output, value, depth);
  }
  if (tag === "[object Date]") return emit(output, dateText(value));
  const bytes = bytesOf(value);
  if (bytes !== undefined) return emit(output, `[${typedArrayByteLength(bytes)} bytes]`);
  if (tag === "[object RegExp]") return emit(output, cutText(regExpShown(value), max(1, output.left)));
  const isList = isArray(value);
  // Maps and sets have no properties either, but members.
  if (tag !== "[object Object]" && tag !== "[object Map]" && tag !== "[object Set]" && !isList && objectKeys(value).length === 0) {
    return emit(output, `[${cutText(stringSlice(tag, 8, -1), TAG_CHARACTERS)}]`);
  }
  if (depth >= FORMAT_DEPTH) return emit(output, isList ? "[…]" : "{…}");
  setAdd(output.open, value);
  if (tag === "[object Map]" || tag === "[object Set]") formatCollection(output, value, tag === "[object Map]", depth);
  else formatMembers(output, value, isList, depth);
  setDelete(output.open, value);
}

/** Not by describeThrown: of an error whose message cannot be read that shows the members, and so comes here again. */
function errorText(error, maxCharacters) {
  const name = cutText(readText(error, "name") ?? "Error", NAME_CHARACTERS);
  const message = cutText(readText(error, "message") ?? "", max(0, maxCharacters));
  return message === "" ? name : `${name}: ${message}`;
}

/** What stands behind an error, as the end of its text; "" where nothing does. */
function reasonsText(error, maxCharacters) {
  const output = { __proto__: null, text: "", left: maxCharacters, open: new RawSet() };
  try {
    formatReasons(output, error, 0);
  } catch {
    output.text += "[unreadable]"; // a Proxy whose traps throw
  }
  return output.text;
}

/** ` [cause: …]`, and of an AggregateError ` [errors: …]`; no getters, and no deeper than other values. */
function formatReasons(output, error, depth) {
  if (depth >= FORMAT_DEPTH || output.left <= 0) return;
  setAdd(output.open, error);
  const cause = getOwnPropertyDescriptor(error, "cause")?.value;
  if (cause !== undefined) {
    emit(output, " [cause: ");
    formatInto(output, cause, depth + 1);
    emit(output, "]");
  }
  const gathered = getOwnPropertyDescriptor(error, "errors")?.value;
  if (isArray(gathered)) {
    emit(output, " [errors: ");
    for (let index = 0; index < gathered.length && output.left > 0; index++) {
      if (index > 0) emit(output, ", ");
      if (index >= REASONS) {
        emit(output, `… ${gathered.length - index} more`);
        break;
      }
      formatInto(output, gathered[index], depth + 1);
    }
    emit(output, "]");
  }
  setDelete(output.open, error);
}

function dateText(value) {
  try {
    return isFiniteNumber(dateTime(value)) ? `"${dateIso(value)}"` : "[Invalid Date]";
  } catch {
    return "{…}"; // an ordinary object with a forged tag
  }
}

function regExpShown(value) {
  try {
    return regExpText(value);
  } catch {
    return "{…}"; // an ordinary object with a forged tag
  }
}

function formatMembers(output, value, isList, depth) {
  const keys = objectKeys(value);
  emit(output, isList ? "[" : "{");
  for (let index = 0; index < keys.length && output.left > 0; index++) {
    if (index > 0) emit(output, ",");
    if (index >= FORMAT_MEMBERS) {
      emit(output, `… ${keys.length - index} more`);
      break;
    }
    if (!isList) {
      formatInto(output, keys[index], depth);
      emit(output, ":");
    }
    const member = getOwnPropertyDescriptor(value, keys[index]);
    if (member === undefined) emit(output, "undefined");
    else if (hasOwn(member, "value")) formatInto(output, member.value, depth + 1);
    else emit(output, "[Getter]");
  }
  emit(output, isList ? "]" : "}");
}

function formatCollection(output, value, isMap, depth) {
  const entries = entriesOf(value, isMap ? mapForEach : setForEach);
  if (entries === undefined) return formatMembers(output, value, false, depth);
  emit(output, isMap ? "Map{" : "Set{");
  for (let index = 0; index < entries.length && output.left > 0; index++) {
    if (index > 0) emit(output, ",");
    if (index >= FORMAT_MEMBERS) {
      emit(output, `… ${entries.length - index} more`);
      break;
    }
    if (isMap) {
      formatInto(output, entries[index].key, depth + 1);
      emit(output, ":");
    }
    formatInto(output, entries[index].value, depth + 1);
  }
  emit(output, "}");
}
