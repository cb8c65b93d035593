// Headers (Fetch standard). A list is {values, isFrozen}: values by lower-case name, an array each.

function makeHeaderList() {
  return { __proto__: null, values: { __proto__: null }, isFrozen: false };
}

function makeHeaderNames(state) {
  const brand = makeBrand("Headers");
  const listFor = (headers) => {
    const list = brand.of(headers);
    if (list.isFrozen) throw new RawTypeError("These headers cannot be changed.");
    return list;
  };
  class Headers {
    constructor(init) {
      const list = brand.add(this, makeHeaderList());
      weakMapSet(webTexts, this, () => `Headers ${headersText(list)}`);
      if (init !== undefined) fillHeaders(list, init, brand);
    }
    append(name, value) {
      requireArguments(arguments.length, 2, "Headers.append");
      appendHeader(listFor(this), name, value);
    }
    delete(name) {
      requireArguments(arguments.length, 1, "Headers.delete");
      const key = headerName(name);
      delete listFor(this).values[key];
    }
    get(name) {
      requireArguments(arguments.length, 1, "Headers.get");
      const values = brand.of(this).values[headerName(name)];
      return values === undefined ? null : joinValues(values);
    }
    getSetCookie() {
      return arrayCopy(brand.of(this).values["set-cookie"] ?? []);
    }
    has(name) {
      requireArguments(arguments.length, 1, "Headers.has");
      return brand.of(this).values[headerName(name)] !== undefined;
    }
    set(name, value) {
      requireArguments(arguments.length, 2, "Headers.set");
      const key = headerName(name);
      const text = headerValue(value);
      listFor(this).values[key] = [text];
    }
  }
  makeIterable(state, Headers, "Headers", (headers, index) => pairAt(sortedHeaders(brand.of(headers)), index));
  finishClass(Headers, "Headers");
  /** Headers over a list that is there. */
  const wrap = (list) => {
    const headers = brand.adopt(Headers, list);
    weakMapSet(webTexts, headers, () => `Headers ${headersText(list)}`);
    return headers;
  };
  return { __proto__: null, names: { __proto__: null, Headers }, find: brand.find, wrap };
}

/** Adds what `new Headers(init)` takes: pairs, a record, or Headers. `invalid` makes the error for what is not allowed. */
function fillHeaders(list, init, brand, invalid = typeError) {
  const append = (name, value) => appendHeader(list, name, value, invalid);
  if (!isObject(init)) throw invalid("Headers are made of pairs, of an object of names and values, or of Headers.");
  const given = brand?.find(init);
  if (given !== undefined) copyHeaders(list, given);
  else if (init[Symbol.iterator] !== undefined && init[Symbol.iterator] !== null) {
    readPairs(init, "new Headers", append, invalid);
  } else readRecord(init, append);
}

function copyHeaders(list, given) {
  const names = objectKeys(given.values);
  for (let index = 0; index < names.length; index++) list.values[names[index]] = arrayCopy(given.values[names[index]]);
}

function appendHeader(list, name, value, invalid = typeError) {
  const key = headerName(name, invalid);
  const text = headerValue(value, invalid);
  const values = list.values[key];
  if (values === undefined) list.values[key] = [text];
  else define(values, values.length, text, true);
}

/** RFC 9110 "token", in lower case. Throws for anything else. */
function headerName(given, invalid = typeError) {
  if (typeof given === "symbol") throw invalid("A symbol is no name of a header.");
  const name = `${given}`;
  let isToken = name !== "";
  for (let index = 0; index < name.length && isToken; index++) isToken = isTokenUnit(charCodeAt(name, index));
  if (!isToken) throw invalid(`${jsonStringify(cutText(name, 100))} is no name of a header.`);
  return stringLowerCase(name);
}

function isTokenUnit(unit) {
  if (unit <= 0x20 || unit >= 0x7f) return false;
  return stringIndexOf('"(),/:;<=>?@[\\]{}', fromCharCode(unit)) < 0;
}

/** Fetch standard, "normalize" and "header value". Throws without the value in its message. */
function headerValue(given, invalid = typeError) {
  if (typeof given === "symbol") throw invalid("The value of a header is a symbol.");
  const text = `${given}`;
  let start = 0;
  let end = text.length;
  while (start < end && isHeaderSpace(charCodeAt(text, start))) start += 1;
  while (end > start && isHeaderSpace(charCodeAt(text, end - 1))) end -= 1;
  for (let index = start; index < end; index++) {
    const unit = charCodeAt(text, index);
    if (unit > 255 || unit === 0 || unit === 10 || unit === 13) {
      throw invalid("The value of a header has a line break, a NUL or a character above U+00FF.");
    }
  }
  return stringSlice(text, start, end);
}

function isHeaderSpace(unit) {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

function joinValues(values) {
  let text = values[0];
  for (let index = 1; index < values.length; index++) text += `, ${values[index]}`;
  return text;
}

/** Fetch standard, "sort and combine": by name, each cookie by itself. */
function sortedHeaders({ values }) {
  const pairs = [];
  const names = objectKeys(values);
  arraySort(names);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (name !== "set-cookie") appendPair(pairs, name, joinValues(values[name]));
    else for (let at = 0; at < values[name].length; at++) appendPair(pairs, name, values[name][at]);
  }
  return pairs;
}

function headersText(list) {
  const record = { __proto__: null };
  const names = objectKeys(list.values);
  for (let index = 0; index < names.length; index++) record[names[index]] = joinValues(list.values[names[index]]);
  return jsonStringify(record);
}
